import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct RecordedRequestTests {
    let server = MockServer.current

    @Test(arguments: [false, true])
    func urlRequestKeepsTheSettingsOfTheRequest(withURLSession: Bool) async throws {
        server.on(.any, reply: .status(200))
        let client: any HTTPTransport = withURLSession ? server.session : server
        var request = URLRequest.make("GET", "/users")
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.timeoutInterval = 7
        request.allowsCellularAccess = false
        request.networkServiceType = .background

        _ = try await client.send(request)

        let recorded = server.requests[0].urlRequest
        #expect(recorded.url == request.url)
        #expect(recorded.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(recorded.timeoutInterval == 7)
        #expect(!recorded.allowsCellularAccess)
        #expect(recorded.networkServiceType == .background)
    }

    @Test func urlRequestHasTheReceivedHeadersAndBody() async throws {
        server.on(.any, reply: .status(200))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-App": "DogPatch"]
        let body = Data("streamed".utf8)
        var request = URLRequest.make("POST", "/users", headers: ["X-Own": "1"])
        request.httpBodyStream = InputStream(data: body)

        _ = try await server.makeSession(configuration: configuration).send(request)

        let recorded = server.requests[0]
        #expect(recorded.urlRequest.httpMethod == "POST")
        #expect(recorded.urlRequest.allHTTPHeaderFields == recorded.headers)
        #expect(recorded.urlRequest.value(forHTTPHeaderField: "X-App") == "DogPatch")
        #expect(recorded.urlRequest.httpBody == body)
        #expect(recorded.urlRequest.httpBodyStream == nil)
    }

    @Test(arguments: [false, true], ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func requestWithoutABodyStatesItsLengthIfItsMethodHasABody(
        withURLSession: Bool, method: String
    ) async throws {
        server.on(.any)
        let client: any HTTPTransport = withURLSession ? server.session : server

        _ = try await client.send(.make(method))

        let length = ["POST", "PUT", "PATCH"].contains(method) ? "0" : nil
        #expect(server.requests[0].header("Content-Length") == length)
    }

    @Test(arguments: [false, true])
    func bodyHasItsLengthUnlessItIsAStream(withURLSession: Bool) async throws {
        server.on(.any)
        let client: any HTTPTransport = withURLSession ? server.session : server
        let body = Data("body".utf8)
        var streamed = URLRequest.make("POST")
        streamed.httpBodyStream = InputStream(data: body)
        var measured = URLRequest.make("POST", headers: ["content-length": "4"])
        measured.httpBodyStream = InputStream(data: body)

        _ = try await client.send(.make("DELETE", body: body))
        _ = try await client.upload(.make("POST"), from: .data(body)) { _ in }
        _ = try await client.send(streamed)
        _ = try await client.send(measured)

        let requests = server.requests
        #expect(requests.map(\.body) == Array(repeating: body, count: 4))
        #expect(requests.map { $0.header("Content-Length") } == ["4", "4", nil, "4"])
        #expect(requests.map { $0.header("Transfer-Encoding") } == [nil, nil, "chunked", nil])
    }
}
