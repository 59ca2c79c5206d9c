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

    private static let body = Data("abcdeGET /smuggled HTTP/1.1\r\n\r\n".utf8)
    private static let fields = [
        ("Content-Length", "0"), ("Content-Length", "5"), ("content-length", "31"),
        ("Content-Length", "100"), ("Content-Length", "five"), ("Transfer-Encoding", "chunked"),
    ]

    private let directory: TemporaryDirectory
    private let received = Locked<[String]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// A server that keeps its connections, redirects `/start`, and records the other requests.
    private func server() throws -> LoopbackServer {
        try LoopbackServer.serving { [received] connection in
            while true {
                let request = try connection.request()
                let isStart = request.path == "/start"
                if !isStart { received.append("\(request.method) \(request.path) \(request.body)") }
                connection.write(
                    "HTTP/1.1 \(isStart ? 307 : 200) X\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n"
                )
            }
        }
    }

    @Test(arguments: Source.allCases, fields)
    func serverReceivesOneRequestWithTheWholeBody(
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
        var request = URLRequest(url: server.url(source == .delegate ? "/start" : "/end"))
        request.httpMethod = "POST"
        if source == .request { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let upload = request
        request.httpBody = Self.body
        let file = try directory.file("dog", Self.body)

        for way in LoadingWay.allCases { _ = try await way.load(request, by: session) }
        for body in [HTTPBody.data(Self.body), .file(file)] {
            _ = try await session.upload(upload, from: body) { _ in }
        }
        _ = try await session.send(URLRequest(url: server.url("/next")))

        let text = String(decoding: Self.body, as: UTF8.self)
        #expect(
            received.current == Array(repeating: "POST /end \(text)", count: 4) + ["GET /next "])
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

        #expect(received.current == Array(repeating: "\(method) /end ", count: 2))
    }
}
