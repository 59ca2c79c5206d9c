import APIKit
import APIKitTesting
import FlyingFox
import Foundation
import Testing

/// The conditions and ranges that FlyingFox implements for files.
@Suite(.timeLimit(.minutes(10))) struct ResourceTests {
    private static let content = Data("0123456789".utf8)

    /// Header fields of a request, in which `TAG` and `DATE` stand for the validators of the file.
    private static let requests: [[String: String]] = [
        [:], ["Range": "bytes=2-4"], ["Range": "bytes=4-"], ["Range": "bytes=0-0"],
        ["Range": "bytes=8-99"], ["Range": "bytes=10-12"], ["Range": "bytes=4-2"],
        ["Range": "bytes=a-"], ["Range": "items=1-2"], ["If-None-Match": "TAG"],
        ["If-None-Match": "\"other\""], ["If-Modified-Since": "DATE"],
        ["If-Modified-Since": "Fri, 01 Jan 1999 00:00:00 GMT"],
        ["Range": "bytes=4-", "If-None-Match": "TAG"],
        ["Range": "bytes=4-", "If-None-Match": "\"other\""],
        ["Range": "bytes=4-", "If-Range": "TAG"],
    ]

    @Test(arguments: ["GET", "HEAD"], requests)
    func resourceRespondsLikeServedFile(method: String, fields: [String: String]) async throws {
        let folder = try TemporaryDirectory()
        let files = FileHTTPHandler(
            path: try folder.file("digits.txt", Self.content), contentType: "text/plain")
        let serve: LocalServer.Responder = { received in
            let fields = ["Range", "If-None-Match", "If-Modified-Since", "If-Range"].map {
                (HTTPHeader($0), received.header($0))
            }
            return try await files.handleRequest(
                HTTPRequest(
                    method: HTTPMethod(received.method), version: .http11, path: received.path,
                    query: [],
                    headers: Dictionary(uniqueKeysWithValues: fields).compactMapValues { $0 },
                    body: Data()))
        }
        try await LocalServer.run(respond: serve) { server in
            let (_, whole) = try await URLSession.make().send(server.request("/digits.txt"))
            let file = try #require(whole as? HTTPURLResponse)
            let tag = try #require(file.value(forHTTPHeaderField: "ETag"))
            let date = try #require(file.value(forHTTPHeaderField: "Last-Modified"))
            let headers = fields.mapValues { ["TAG": tag, "DATE": date][$0] ?? $0 }
            let mock = MockServer()
            mock.on(
                .any,
                reply: .resource(
                    .data(Self.content, contentType: "text/plain").header("ETag", tag)
                        .header("Last-Modified", date)))
            let request = try server.request("/digits.txt", method: method, headers: headers)

            let served = try await outcome(of: request, URLSession.make())

            for transport in [mock.session, mock] as [any HTTPTransport] {
                let mocked = try await outcome(of: request, transport)
                #expect(mocked == served)
            }
        }
    }

    /// Returns the body, the status, and the header fields that conditions and ranges change.
    private func outcome(
        of request: URLRequest, _ transport: any HTTPTransport
    ) async throws -> [String?] {
        let (data, response) = try await transport.send(request)
        let head = try #require(response as? HTTPURLResponse)
        // FlyingFox sends no other field with a 416, and no `ETag` with some of its 304s.
        let fields = head.statusCode == 416 ? [] : ["Last-Modified", "Accept-Ranges"]
        return [String(decoding: data, as: UTF8.self), "\(head.statusCode)"]
            + (["Content-Range"] + fields).map(head.value(forHTTPHeaderField:))
    }
}
