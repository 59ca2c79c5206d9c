import APIKit
import Foundation

/// Two servers of plain sockets with the same responses, and the requests that they received.
struct LoopbackServers {
    private let (server, other): (LoopbackServer, LoopbackServer)
    private let received: Locked<[ReceivedRequest]>

    init(respond: @escaping Site.Responder) throws {
        let received = Locked<[ReceivedRequest]>([])
        self.received = received
        func make() throws -> LoopbackServer {
            try LoopbackServer { request, connection in
                let request = ReceivedRequest(request, from: connection)
                received.withLock { $0.append(request) }
                // A response that fails closes the connection.
                guard let reply = try? Self.wait({ try await respond(request) }) else { return }
                Self.send(reply, to: request, on: connection)
            }
        }
        (server, other) = (try make(), try make())
    }

    func site(with transport: any HTTPTransport) -> Site {
        Site(transport: transport, baseURL: server.url(""), other: other.url("")) { [received] in
            received.withLock { $0 }
        }
    }

    private static func send(
        _ reply: Reply, to request: ReceivedRequest, on connection: LoopbackConnection
    ) {
        let fields = reply.headers.map { "\($0.name): \($0.value)" }
        switch reply.body {
        case .data(let data):
            let hasLength = reply.status != 204 && reply.status != 304
            let length = hasLength ? ["Content-Length: \(data.count)"] : []
            connection.write(LoopbackServer.head(reply.status, fields + length))
            if request.method != "HEAD" { connection.write(data) }
        case .chunks(let chunks):
            connection.write(
                LoopbackServer.head(reply.status, fields + ["Transfer-Encoding: chunked"]))
            // Each search takes one chunk from the stream.
            while let chunk = try? wait({ await chunks.first { _ in true } }) {
                let size = String(chunk.count, radix: 16)
                guard connection.write(Data("\(size)\r\n".utf8) + chunk + Data("\r\n".utf8))
                else { return }
            }
            connection.write("0\r\n\r\n")
        }
    }

    /// Waits on the thread of a connection for the result of a task.
    private static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let value = await Result { try await body() }
            result.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        guard let value = result.withLock({ $0 }) else { throw CancellationError() }
        return try value.get()
    }
}

extension ReceivedRequest {
    /// Reads the rest of a request with a chunked body.
    fileprivate init(_ request: LoopbackServer.Request, from connection: LoopbackConnection) {
        let isChunked = request.header("Transfer-Encoding") != nil
        self.init(
            method: request.method, target: request.path,
            body: (isChunked ? try? connection.chunkedBody() : nil) ?? request.bodyBytes,
            headers: request.head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    String(line[..<colon]),
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            })
    }
}
