import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// Requests that state the length of their body themselves, over connections that the server keeps.
///
/// What follows a body that is cut off would be the next request of the connection.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StatedLengthTests {
    /// What states the length.
    enum Source: CaseIterable { case request, session, delegate }

    /// Bodies that a server would split at a wrong length, or read as chunks.
    private static let bodies = [
        "", "d", "\r\n", "abcdeGET /smuggled HTTP/1.1\r\n\r\n", "5\r\nabcde\r\n0\r\n\r\n",
        "0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n", "dog\0GET /smuggled HTTP/1.0\n\n",
        String(repeating: "dogs ", count: 20_000),
    ]
    private static let fields = [
        ("Content-Length", "0"), ("Content-Length", "5"), ("content-length", "31"),
        ("Content-Length", "100"), ("Content-Length", "five"), ("Transfer-Encoding", "chunked"),
    ]

    private let directory: TemporaryDirectory
    private let received = Locked<[String]>([])

    init() throws { directory = try TemporaryDirectory() }

    private static func line(_ method: String, _ path: String, _ body: String = "") -> String {
        "\(method) \(path) \(body.utf8.count) \(body.prefix(99))"
    }

    /// A server that keeps its connections, redirects `/start`, and records the other requests.
    private func server() throws -> LoopbackServer {
        try LoopbackServer.serving { [received] connection in
            while true {
                let request = try connection.request()
                let isStart = request.path == "/start"
                if !isStart {
                    received.append(Self.line(request.method, request.path, request.body))
                }
                connection.write(
                    "HTTP/1.1 \(isStart ? 307 : 200) X\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n"
                )
            }
        }
    }

    @Test(arguments: Source.allCases, fields)
    func serverReceivesEachRequestWithItsWholeBody(
        source: Source, field: (name: String, value: String)
    ) async throws {
        let server = try server()
        let delegate = RedirectDelegate { request in
            var request = request
            request.setValue(field.value, forHTTPHeaderField: field.name)
            return request
        }
        let session = URLSession.plain(delegate: source == .delegate ? delegate : nil) {
            if source == .session { $0.httpAdditionalHeaders = [field.name: field.value] }
        }
        var upload = URLRequest(url: server.url(source == .delegate ? "/start" : "/end"))
        upload.httpMethod = "POST"
        if source == .request { upload.setValue(field.value, forHTTPHeaderField: field.name) }

        for body in Self.bodies {
            let data = Data(body.utf8)
            var request = upload
            request.httpBody = data
            for way in LoadingWay.allCases { _ = try await way.load(request, by: session) }
            let file = try directory.file("dog\(data.count)", data)
            for body in [HTTPBody.data(data), .file(file)] {
                _ = try await session.upload(upload, from: body) { _ in }
            }
        }
        _ = try await session.send(URLRequest(url: server.url("/next")))

        let sent = Self.bodies.flatMap { Array(repeating: Self.line("POST", "/end", $0), count: 4) }
        #expect(received.current == sent + [Self.line("GET", "/next")])
    }

    @Test(arguments: ["GET", "DELETE", "POST"], fields)
    func requestWithoutABodyIsWhole(
        method: String, field: (name: String, value: String)
    ) async throws {
        let server = try server()
        var request = URLRequest(url: server.url("/end"))
        request.httpMethod = method
        request.setValue(field.value, forHTTPHeaderField: field.name)

        for _ in 0..<2 { _ = try await URLSession.plain().send(request) }

        #expect(received.current == Array(repeating: Self.line(method, "/end"), count: 2))
    }
}
