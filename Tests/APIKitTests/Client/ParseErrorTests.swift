import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct ParseErrorTests {
    private let server = MockServer.current
    private let events = Locked<[String]>([])
    private let body = #"{"error_code":"closed","message":"No."}"#
    private var refusal: MockResponse { .text(body, status: 403) }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(
            transport: server, interceptors: interceptors,
            observers: { [events] _ in [RecordingObserver(events: events)] })
    }

    @Test(arguments: Way.allCases)
    func errorOfParseErrorIsThrownUnchanged(way: Way) async {
        server.on(.any, reply: refusal, times: .once)

        await #expect(throws: ForumError(errorCode: "closed", message: "No.")) {
            try await way.send(TopicRequest(), by: client())
        }

        #expect(
            events.current == [
                "started", "sent 1: /v1/topics", "received 1: 403",
                "failed: ForumError(errorCode: \"closed\", message: \"No.\")",
            ])
    }

    @Test(arguments: Way.allCases)
    func returningParseErrorThrowsAPIError(way: Way) async throws {
        server.on(.any, reply: refusal)
        let request = TopicRequest { _ in nil }

        let error = try #require(
            await expectError(.status(403)) { try await way.send(request, by: client()) })

        #expect(error.body == Data(body.utf8))
        #expect(error.request?.url?.path == "/v1/topics")
        #expect(error.underlying == nil)
        // The decoder of the request converts names from snake case.
        #expect(
            try error.decodeBody(ForumError.self) == ForumError(errorCode: "closed", message: "No.")
        )
    }

    @Test(arguments: Way.allCases)
    func decodingErrorOfParseErrorBecomesAPIError(way: Way) async throws {
        server.on(.any, reply: .text("<h1>Bad Gateway</h1>", status: 502))

        let error = try #require(
            await expectError(.status(502)) { try await way.send(TopicRequest(), by: client()) })

        #expect(error.body == Data("<h1>Bad Gateway</h1>".utf8))
        #expect(error.underlying is DecodingError)
        #expect(events.current.last == "failed: \(error)")
    }

    @Test(arguments: Way.allCases)
    func parseErrorReceivesOnlyLastResponse(way: Way) async {
        server.on(.any, reply: .status(429), .status(429), refusal)
        let statuses = Locked<[Int]>([])
        let request = TopicRequest {
            statuses.append($0.statusCode)
            return nil
        }

        await expectError(.status(403)) {
            try await way.send(request, by: client(Retry.immediate))
        }

        #expect(statuses.current == [403])
    }

    @Test(arguments: Way.allCases)
    func parseErrorReceivesBody(way: Way) async {
        server.on(.any, reply: .text(String(repeating: "x", count: 70_000), status: 403))
        let counts = Locked<[Int]>([])
        let request = TopicRequest {
            counts.append($0.value.count)
            return nil
        }

        let error = await expectError(.status(403)) { try await way.send(request, by: client()) }

        #expect(counts.current == [70_000])
        #expect(error?.body?.count == counts.current.last)
    }

    @Test(arguments: [Way.load, .stream, .download])
    func acceptedResponseIsNoRefusal(way: Way) async throws {
        server.on(.any, reply: .text("[]"))

        try await way.send(TopicRequest { _ in throw Refusal() }, by: client())
    }

    @Test func errorOfParseErrorEndsReconnectingEvents() async throws {
        server.on(.any, reply: refusal, times: .once)
        var events = client().reconnectingEvents(of: TopicRequest(), with: 1).makeAsyncIterator()

        await #expect(throws: ForumError.self) { try await events.next() }
        #expect(try await events.next() == nil)
    }

    @Test func refusedSuccessOfEventSourceIsParsed() async {
        server.on(.any, reply: .json(["error_code": "later", "message": "Wait."], status: 202))

        await #expect(throws: ForumError(errorCode: "later", message: "Wait.")) {
            try await Way.events.send(TopicRequest(), by: client())
        }
    }

    @Test func errorOfParseErrorKeepsFile() async throws {
        server.on(.any, reply: refusal)
        let folder = try TemporaryDirectory()
        let file = try folder.file("report", Data("old".utf8))

        await #expect(throws: ForumError.self) {
            try await client().download(TopicRequest(), with: 1, to: file)
        }

        #expect(folder.text("report") == "old")
        #expect(try folder.names == ["report"])
    }

    @Test func parseErrorNeedsNoClient() throws {
        let response = APIResponse(value: Data(body.utf8), http: try .make(403))

        let error = try TopicRequest().parseError(response)
        #expect(error as? ForumError == ForumError(errorCode: "closed", message: "No."))
        #expect(try DogRequest().parseError(response) == nil)
    }
}

// MARK: - The decoder of errors

extension ParseErrorTests {
    @Test func undecodableBodyIsDecodedByDecoderOfRequest() async throws {
        server.on(.any, reply: .text(body))

        let error = await expectError(.decoding) {
            try await client().load(TopicRequest(), with: 1)
        }

        #expect(try error?.decodeBody(ForumError.self).errorCode == "closed")
    }

    @Test func undecodableLineIsDecodedByDecoderOfRequest() async throws {
        server.on(.any, reply: .text(body))
        let lines = try await client().stream(TopicRequest(), with: 1).value
            .jsonLines(of: [String].self)

        let error = await expectError(.decoding) { for try await _ in lines {} }

        #expect(try error?.decodeBody(ForumError.self).errorCode == "closed")
    }

    @Test func bodyOfInterceptorErrorIsDecodedByDecoderOfRequest() async throws {
        let refusal = APIError(.status(403), body: Data(body.utf8))
        let interceptor = RequestAdapter { _ in throw refusal }

        let error = await expectError(.status(403)) {
            try await Way.load.send(TopicRequest(), by: client(interceptor))
        }

        #expect(try error?.decodeBody(ForumError.self).errorCode == "closed")
    }
}

// MARK: - The ways to send a request

extension ParseErrorTests {
    /// The kinds of calls, which must refuse a response alike.
    enum Way: CaseIterable {
        case load, response, upload, stream, download, events, pages, loader, completionHandler

        fileprivate func send(_ request: TopicRequest, by client: APIClient) async throws {
            switch self {
            case .load:
                _ = try await client.load(request, with: 1)
            case .response:
                _ = try await client.response(to: request, with: 1)
            case .upload:
                var request = request
                request.method = .post
                try await client.upload(request, with: 1, from: .data(Data("x".utf8)))
            case .stream:
                _ = try await client.stream(request, with: 1).value.data()
            case .download:
                let folder = try TemporaryDirectory()
                try await client.download(request, with: 1, to: folder.url("file"))
            case .events:
                for try await _ in client.reconnectingEvents(of: request, with: 1) {}
            case .pages:
                for try await _ in client.pages(of: request, from: 1) {}
            case .loader:
                _ = try await APIRequestLoader(apiRequest: request, client: client).load(1)
            case .completionHandler:
                let loader = APIRequestLoader(apiRequest: request, client: client)
                let failure = Locked<(any Error)?>(nil)
                await loader.loadAPIRequest(requestData: 1) { _, error in failure.set(error) }.value
                if let error = failure.current { throw error }
            }
        }
    }
}

/// An error of a whole API, whose names are in snake case.
private struct ForumError: Error, Decodable, Equatable {
    var errorCode: String
    var message: String
}

/// A request to an API that has rules for all of its requests.
private protocol ForumRequest: APIRequest {
    var parse: (@Sendable (APIResponse<Data>) throws -> (any Error)?)? { get }
}

extension ForumRequest {
    var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        if let parse { return try parse(response) }
        return try decoder.decode(ForumError.self, from: response.value)
    }
}

private struct TopicRequest: ForumRequest, PagedAPIRequest {
    typealias ResponseDataType = [String]

    var method = HTTPMethod.get
    var parse: (@Sendable (APIResponse<Data>) throws -> (any Error)?)?

    init(_ parse: (@Sendable (APIResponse<Data>) throws -> (any Error)?)? = nil) {
        self.parse = parse
    }

    func makeRequest(from page: Int) throws -> URLRequest { try URLRequest(method, "topics") }

    func nextInput(after response: APIResponse<[String]>, from page: Int) -> Int? { nil }
}
