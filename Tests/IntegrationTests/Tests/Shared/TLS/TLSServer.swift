#if os(macOS) || os(Linux)
import Foundation

/// A process that terminates TLS in front of a plain server.
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
        let process = try await start(certificate, before: server)
        // The process ends when the pipe is closed, also if the tests crash.
        defer { pclose(process.output) }
        return try await body(process.url)
    }

    private static func start(
        _ certificate: Certificate, before server: URL
    ) async throws -> TLSProcess {
        let script = folder.appending(path: "terminate-tls.py").path
        let file = folder.appending(path: "\(certificate.rawValue).pem").path
        // In the background, so `pclose` does not wait.
        let command = "python3 '\(script)' '\(file)' \(server.port ?? 80) &"
        // The start of a process blocks the thread, and a thread of the concurrency pool must not block.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "TLSServer").async {
                continuation.resume(with: Result { try TLSProcess(command) })
            }
        }
    }
}

/// A running process, and its first line of output, which is its port.
///
/// `Process` is not used, because its `run()` can crash with Swift 6.3.1 on Linux. The class is
/// unchecked because only one thread at a time uses the pointer.
private final class TLSProcess: @unchecked Sendable {
    let output: UnsafeMutablePointer<FILE>
    let url: URL

    init(_ command: String) throws {
        guard let output = popen(command, "r") else { throw POSIXError(.ENOMEM) }
        var line = [CChar](repeating: 0, count: 16)
        guard fgets(&line, Int32(line.count), output) != nil,
            let port = Int(
                String(decoding: line.compactMap { UInt8(exactly: $0) }, as: UTF8.self).filter(
                    \.isNumber)),
            let url = URL(string: "https://127.0.0.1:\(port)")
        else {
            pclose(output)
            // The shell or Python has printed the reason.
            throw POSIXError(.ECHILD)
        }
        (self.output, self.url) = (output, url)
    }
}
#endif
