import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct URLSessionTransportTests {
    private let url = URL(string: "https://api.example.com/dogs")

    private func request() throws -> URLRequest {
        URLRequest(url: try #require(url))
    }

    #if !canImport(FoundationNetworking)
    @Test func errorOfMockIsThrownUnchanged() async throws {
        struct Broken: Error {}
        let server = MockServer { _ in
            .failure(NSError(domain: "dog", code: 1, userInfo: [carriedErrorKey: Broken()]))
        }

        await #expect(throws: Broken.self) { try await server.session.send(try request()) }
    }
    #endif

    // On Apple platforms only the system can make such a configuration, and it needs an app.
    #if canImport(FoundationNetworking)
    @Test(arguments: ["send", "stream", "upload"])
    func backgroundSessionIsRefused(call: String) async throws {
        let session = URLSession.plain { $0.identifier = "background" }

        let error = await #expect(throws: APIError.self) {
            switch call {
            case "send": _ = try await session.send(request())
            case "stream": _ = try await session.stream(request())
            default: _ = try await session.upload(request(), from: .data(Data())) { _ in }
            }
        }

        #expect(
            error?.description.contains("Make the session from another configuration") == true)
    }
    #endif

    #if canImport(FoundationNetworking)
    @Test(arguments: [true, false])
    func uploadOfAGETIsAnError(isFile: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200) }
        let folder = try TemporaryDirectory()
        let body: HTTPBody = isFile ? .file(try folder.file()) : .data(Data("content".utf8))

        let error = await #expect(throws: URLError.self) {
            try await URLSession.plain().upload(URLRequest(url: server.url("/")), from: body) { _ in
            }
        }

        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(server.requests.isEmpty)
    }
    #endif

    @Test(arguments: [101, 99], LoadingWay.allCases)
    func finalResponseBelow200IsReturned(status: Int, way: LoadingWay) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [OddStatusProtocol.self]
        var request = try request()
        request.setValue("\(status)", forHTTPHeaderField: "Status")

        let response = try await way.load(request, by: URLSession(configuration: configuration)).1

        #expect(response.statusCode == status)
    }

    @Test(
        arguments: LoadingWay.allCases,
        [
            ("GET / X\r\n\r\nDELETE", "1", "\"GET / X\r\n\r\nDELETE\" is not a valid method"),
            ("GET", "1\r\nX-B: 2", "the value of its header X-A contains a control character"),
        ])
    func invalidHeadIsRefusedWithoutAClient(
        way: LoadingWay, head: (method: String, value: String, reason: String)
    ) async throws {
        let server = MockServer { _ in .status(200) }
        var request = try request()
        request.httpMethod = head.method
        request.allHTTPHeaderFields = ["X-A": head.value]
        let invalid = request

        await expectError(.invalidRequest(head.reason)) {
            try await way.load(invalid, by: server.session)
        }
        await expectError(.invalidRequest(head.reason)) {
            try await server.session.upload(invalid, from: .data(Data())) { _ in }
        }

        #expect(server.requests.isEmpty)
    }
}

/// A protocol that responds with the status that the request names.
private final class OddStatusProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let status = request.value(forHTTPHeaderField: "Status").flatMap(Int.init),
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
