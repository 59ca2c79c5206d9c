import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RecordedRequestTests {
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

        let recorded = try #require(server.requests.first).urlRequest
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

        let recorded = try #require(server.requests.first)
        #expect(recorded.urlRequest.httpMethod == "POST")
        #expect(recorded.urlRequest.allHTTPHeaderFields == recorded.headers)
        #expect(recorded.urlRequest.value(forHTTPHeaderField: "X-App") == "DogPatch")
        #expect(recorded.urlRequest.httpBody == body)
        #expect(recorded.urlRequest.httpBodyStream == nil)
    }

    /// Sends a part with a name, and returns the recorded part.
    private func part(
        _ disposition: String, _ client: any HTTPTransport
    ) async throws -> RecordedRequest.Part? {
        server.on(.any, reply: .status(200))
        let body = "--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\nx\r\n--b--"
        _ = try await client.send(
            .make(
                "POST", headers: ["Content-Type": "multipart/form-data; boundary=b"],
                body: Data(body.utf8)))
        return server.requests.last?.parts.first
    }

    @Test(arguments: [
        // As browsers and curl write it, by the HTML standard.
        (#"name="a%22b%22""#, #"a"b""#), (#"name="a%0D%0Ab%0A""#, "a\r\nb\n"),
        (#"name="a\b\\c""#, #"a\b\\c"#), (#"name="C:\temp\""#, #"C:\temp\"#),
        (#"name="C:\temp\" ; x=y"#, #"C:\temp\"#),
        (#"name="100%.txt %2 %41 %20""#, "100%.txt %2 %41 %20"),
        // As other clients write it, by RFC 2183.
        (#"name="a\"b\"""#, #"a"b""#), ("name=a", "a"), ("name=\"a\\\"\u{301}b\"", "a\"\u{301}b"),
    ])
    func namesOfPartsHaveNoEscapes(disposition: String, name: String) async throws {
        for client in [server.session, server] as [any HTTPTransport] {
            #expect(try await part(disposition, client)?.name == name)
            let file = disposition.replacing("name=", with: "filename=", maxReplacements: 1)
            #expect(try await part("name=a; \(file)", client)?.fileName == name)
        }
    }

    @Test func malformedEscapesAndBytesThatAreNotUTF8StayInAForm() async throws {
        server.on(.any)
        _ = try await server.send(
            .make(
                "POST", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Data("a=100%+%41&b=%zz%20&c=%E8+d".utf8)))

        #expect(server.requests.first?.form.map(\.value) == ["100% A", "%zz ", "%E8+d"])
    }

    private static let head = "Content-Disposition: form-data; name=a\r\n\r\n"

    @Test(arguments: [
        // Only white space or `--` may follow a boundary on its line (RFC 2046, section 5.1.1).
        ("--b\r\n\(head)x\r\n--bar\r\n--b--x\r\n--b-- \r\n", "x\r\n--bar\r\n--b--x"),
        ("--b \t\r\n\(head)x\r\n--b--", "x"),
        // A form with a malformed part or without an end is none.
        ("--b\r\n\(head)x\r\n--b\r\n\r\ny\r\n--b--", nil), ("--b\r\n\(head)x", nil),
    ])
    func boundaryIsAWholeLine(body: String, text: String?) async throws {
        server.on(.any)
        _ = try await server.send(
            .make(
                "POST", headers: ["Content-Type": "multipart/form-data; boundary=b"],
                body: Data(body.utf8)))

        #expect(server.requests.map { $0.parts.first?.text } == [text])
    }
}
