import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DecodedEventsTests {
    let server = MockServer.current

    private struct Chunk: Codable, Equatable, Sendable {
        var text: String
    }

    private struct ServiceError: Error, Codable, Equatable {
        var message: String
    }

    private struct Chat: APIRequest {
        typealias ResponseDataType = Data

        func makeRequest(from prompt: String) throws -> URLRequest {
            try URLRequest(.post, "chat", body: .json(["prompt": prompt]))
        }

        func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
            try decoder.decode(ServiceError.self, from: response.value)
        }

        var decoder: any ResponseDecoder {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
    }

    private func events(_ events: [ServerSentEvent]) async throws
        -> ByteStream.Elements<ServerSentEvent>
    {
        server.on(.post("/v1/chat"), reply: .events(events))
        return try await APIClient.make(transport: server).stream(Chat(), with: "Hi").value.events
    }

    private let hello: [ServerSentEvent] = [#"{"text":"Hel"}"#, #"{"text":"lo"}"#]

    @Test func valuesEndWithTheNamedEvent() async throws {
        let events = try await events(hello + ["[DONE]", "not JSON"])

        let chunks = try await events.decoded(as: Chunk.self, until: "[DONE]").elements()

        #expect(chunks == [Chunk(text: "Hel"), Chunk(text: "lo")])
    }

    @Test func valuesEndWithTheStream() async throws {
        let chunks = try await events(hello).decoded(as: Chunk.self).elements()

        #expect(chunks == [Chunk(text: "Hel"), Chunk(text: "lo")])
    }

    @Test func callSucceedsAtTheNamedEvent() async throws {
        server.on(.post("/v1/chat"), reply: .events(hello + ["[DONE]", "rest"]))
        let recorder = CallRecorder()
        let client = APIClient.make(transport: server, observers: { _ in [recorder] })

        let events = try await client.stream(Chat(), with: "Hi").value.events
        _ = try await events.decoded(as: Chunk.self, until: "[DONE]").elements()

        #expect(recorder.steps.last == .callSucceeded)
    }

    @Test func namedEventEndsTheRequestOfAServerThatKeepsTheConnection() async throws {
        let (chunks, connection) = AsyncStream.makeStream(of: Data.self)
        let (closures, closed) = AsyncStream.makeStream(of: Void.self)
        connection.onTermination = { _ in closed.finish() }
        server.on(.post("/v1/chat"), reply: .stream(chunks, contentType: "text/event-stream"))
        // The transport of a mock server ends such a request by itself.
        let client = APIClient.make(transport: server.session)
        let response = try await client.stream(Chat(), with: "Hi")
        connection.yield(Data("data: [DONE]\n\n".utf8))

        let values = response.value.events.decoded(as: Chunk.self, until: "[DONE]")

        #expect(try await values.elements() == [])
        for await _ in closures {}
        // Releasing the response would end the request too.
        withExtendedLifetime(response) {}
    }

    @Test func dataOfAnotherShapeIsAnErrorOfDecoding() async throws {
        let values = try await events(hello + ["{}"]).decoded(as: Chunk.self)
        var chunks: [Chunk] = []

        let error = await #expect(throws: APIError.self) {
            for try await chunk in values { chunks.append(chunk) }
        }

        #expect(chunks.count == 2)
        #expect(error?.kind == .decoding)
        #expect(error?.body == Data("{}".utf8))
        #expect(error?.statusCode == 200)
        #expect(error?.underlying is DecodingError)
    }

    @Test(arguments: ["message", "error"])
    func errorObjectIsThrownAsTheRequestTypeParsesIt(type: String) async throws {
        let failure = ServerSentEvent(data: #"{"message":"overloaded"}"#, type: type)
        let values = try await events(hello + [failure]).decoded(as: Chunk.self)

        let error = await #expect(throws: ServiceError.self) { try await values.elements() }

        #expect(error == ServiceError(message: "overloaded"))
    }

    @Test func decodingErrorThatTheRequestTypeReturnsIsThrown() async throws {
        struct Strict: APIRequest {
            typealias ResponseDataType = Data

            func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "chat") }

            func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
                DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "mine"))
            }
        }
        server.on(.get("/v1/chat"), reply: .events(["{}"]))
        let response = try await APIClient.make(transport: server).stream(Strict())

        await #expect(throws: DecodingError.self) {
            try await response.value.events.decoded(as: Chunk.self).elements()
        }
    }

    @Test func eventOfTypeErrorIsNoValue() async throws {
        let values = try await events([ServerSentEvent(data: #"{"text":"x"}"#, type: "error")])
            .decoded(as: Chunk.self)

        await expectError(.decoding) { try await values.elements() }
    }

    @Test func givenDecoderReplacesThatOfTheRequest() async throws {
        struct Upper: ResponseDecoder {
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try JSONDecoder().decode(
                    type, from: Data(String(decoding: data, as: UTF8.self).lowercased().utf8))
            }
        }
        let values = try await events([#"{"TEXT":"HI"}"#]).decoded(as: Chunk.self, decoder: Upper())

        #expect(try await values.elements() == [Chunk(text: "hi")])
    }

    @Test func eventsOfSeveralTypesAreDecodedOneByOne() async throws {
        struct Usage: Codable, Equatable {
            var tokens: Int
        }
        let stream = try await events([
            #"{"text":"Hi"}"#, ServerSentEvent(data: #"{"tokens":2}"#, type: "usage"),
        ])

        let events = try await stream.elements()

        let (first, second) = (try #require(events.first), try #require(events.last))
        #expect(try first.decode(Chunk.self) == Chunk(text: "Hi"))
        #expect(try second.decode(Usage.self) == Usage(tokens: 2))
        #expect(throws: DecodingError.self) { try second.decode(Chunk.self) }
    }

    @Test func mainActorReadsValues() async throws {
        let values = try await events(hello).decoded(as: Chunk.self)

        let text = try await Task { @MainActor in
            var text = ""
            for try await chunk in values { text += chunk.text }
            return text
        }.value

        #expect(text == "Hello")
    }
}
