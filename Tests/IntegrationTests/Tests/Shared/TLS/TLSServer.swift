#if os(macOS) || os(Linux)
import Foundation
import Testing

/// Processes that terminate TLS in front of plain servers.
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
        try await run(with: certificate, over: .http1, before: [server]) {
            try await body(#require($0.first))
        }
    }

    /// Terminates TLS, and also HTTP/2, in front of servers until the closure returns.
    static func run<Output>(
        with certificate: Certificate = .valid,
        over version: HTTPVersion,
        before servers: [URL],
        while body: ([URL]) async throws -> Output
    ) async throws -> Output {
        // The connection blocks its thread, and a thread of the concurrency pool must not block.
        let (socket, urls) = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "TLSServer").async {
                continuation.resume(
                    with: Result { try connect(to: process(certificate, version), before: servers) }
                )
            }
        }
        defer { close(socket) }
        return try await body(urls)
    }

    /// Opens the connection that keeps the ports for TLS of servers open.
    private static func connect(
        to process: UInt16, before servers: [URL]
    ) throws -> (socket: Int32, urls: [URL]) {
        let socket = LoopbackSocket.connection(to: process)
        let connection = LoopbackConnection(socket)
        connection.write(servers.map { "\($0.port ?? 80)" }.joined(separator: " ") + "\r\n")
        let ports = (try? connection.line()) ?? ""
        let urls = ports.split(separator: " ").compactMap { URL(string: "https://127.0.0.1:\($0)") }
        guard urls.count == servers.count else {
            close(socket)
            throw POSIXError(.ECHILD)
        }
        return (socket, urls)
    }

    /// The ports of the processes by their certificates and versions.
    private static let processes = Locked<[String: UInt16]>([:])

    /// Returns the port of the process for a certificate, which it starts for the first server.
    private static func process(
        _ certificate: Certificate, _ version: HTTPVersion
    ) throws -> UInt16 {
        try processes.withLock { processes in
            if let port = processes["\(certificate) \(version)"] { return port }
            let script = folder.appending(path: "terminate-tls.py").path
            let file = folder.appending(path: "\(certificate.rawValue).pem").path
            // `Process` is not used, because its `run()` can crash with Swift 6.3.1 on Linux. `-B` leaves no
            // compiled files.
            var line = [CChar](repeating: 0, count: 64)
            guard let output = popen("python3 -B '\(script)' '\(file)' \(version) &", "r") else {
                throw POSIXError(.ENOMEM)
            }
            // The shell has ended. Until something waits for it, no test sees that another process ends.
            defer { pclose(output) }
            // A copy of the pipe stays open. Python ends with it, also if the tests crash.
            guard fgets(&line, Int32(line.count), output) != nil,
                fcntl(fileno(output), F_DUPFD_CLOEXEC, 0) >= 0,
                let port = UInt16(
                    String(decoding: line.compactMap { UInt8(exactly: $0) }, as: UTF8.self)
                        .prefix(while: \.isNumber))
            else {
                // The shell or Python has printed the reason.
                throw POSIXError(.ECHILD)
            }
            processes["\(certificate) \(version)"] = port
            return port
        }
    }
}
#endif
