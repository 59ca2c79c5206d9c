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
}
