#if os(macOS) || os(Linux)
import Foundation

/// A process that terminates TLS in front of plain servers.
enum TLSServer {
    /// The certificates that a server can have.
    enum Certificate: String, CaseIterable {
        case valid
        case otherHost = "other-host"
        case expired
        case notYetValid = "not-yet-valid"
        case unknownRoot = "unknown-root"
        case selfSigned = "self-signed"
    }

    /// The certificate of the authority that signed the first four.
    static let authority = folder.appending(path: "authority.pem")

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Server")

    /// Terminates TLS in front of a server until the closure returns.
    ///
    /// The closure receives the base URL of the server for `https`.
    static func run<Output>(
        with certificate: Certificate = .valid,
        before server: URL,
        while body: (URL) async throws -> Output
    ) async throws -> Output {
        try await run(with: certificate, over: .http1, before: [server]) { try await body($0[0]) }
    }

    /// Terminates TLS, and also HTTP/2, in front of servers until the closure returns.
    static func run<Output>(
        with certificate: Certificate = .valid,
        over version: HTTPVersion,
        before servers: [URL],
        while body: ([URL]) async throws -> Output
    ) async throws -> Output {
        let process = try await start(certificate, version, before: servers)
        // The process ends when the pipe is closed, also if the tests crash.
        defer { pclose(process.output) }
        return try await body(process.urls)
    }

    private static func start(
        _ certificate: Certificate, _ version: HTTPVersion, before servers: [URL]
    ) async throws -> TLSProcess {
        let script = folder.appending(path: "terminate-tls.py").path
        let file = folder.appending(path: "\(certificate.rawValue).pem").path
        let ports = servers.map { "\($0.port ?? 80)" }.joined(separator: " ")
        // In the background, so `pclose` does not wait. `-B` leaves no compiled files.
        let command = "python3 -B '\(script)' '\(file)' \(version) \(ports) &"
        // The start of a process blocks the thread, and a thread of the concurrency pool must not block.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "TLSServer").async {
                continuation.resume(with: Result { try TLSProcess(command, count: servers.count) })
            }
        }
    }
}

/// A running process, and its first line of output, which has its ports.
///
/// `Process` is not used, because its `run()` can crash with Swift 6.3.1 on Linux. The class is
/// unchecked because only one thread at a time uses the pointer.
private final class TLSProcess: @unchecked Sendable {
    let output: UnsafeMutablePointer<FILE>
    let urls: [URL]

    init(_ command: String, count: Int) throws {
        guard let output = popen(command, "r") else { throw POSIXError(.ENOMEM) }
        var line = [CChar](repeating: 0, count: 64)
        _ = fgets(&line, Int32(line.count), output)
        let ports = String(decoding: line.compactMap { UInt8(exactly: $0) }, as: UTF8.self)
            .split { !$0.isNumber }
        let urls = ports.compactMap { URL(string: "https://127.0.0.1:\($0)") }
        guard urls.count == count else {
            pclose(output)
            // The shell or Python has printed the reason.
            throw POSIXError(.ECHILD)
        }
        (self.output, self.urls) = (output, urls)
    }
}
#endif
