import APIKit
import Foundation

// snippet.request
struct AskRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest(.post, "answers", body: .json(["question": question]))
    }
}
// snippet.end

// snippet.readings
nonisolated struct Reading: Decodable, Sendable {
    var celsius: Double
}

struct ReadingsRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from station: String) throws -> URLRequest {
        try URLRequest(.get, "stations/\(station)/readings")
    }
}
// snippet.end

// snippet.chat
nonisolated struct ChatChunk: Decodable, Sendable {
    var text: String
}

nonisolated struct ChatError: Error, Decodable {
    var message: String
}

struct ChatRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from prompt: String) throws -> URLRequest {
        try URLRequest(.post, "chat", body: .json(["prompt": prompt]))
    }

    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        try decoder.decode(ChatError.self, from: response.value)
    }
}
// snippet.end

// snippet.function
nonisolated func answer(
    to prompt: String, from client: APIClient
) -> AsyncThrowingStream<ChatChunk, any Error> {
    AsyncThrowingStream { continuation in
        let task = Task {
            do {
                let events = try await client.stream(ChatRequest(), with: prompt).value.events
                for try await chunk in events.decoded(as: ChatChunk.self, until: "[DONE]") {
                    continuation.yield(chunk)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}
// snippet.end

// snippet.prices
struct PricesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from symbol: String) throws -> URLRequest {
        try URLRequest(.get, "prices/\(symbol)")
    }
}
// snippet.end

func read(client: APIClient) async throws {
    // snippet.lines
    let response = try await client.stream(AskRequest(), with: "Why do dogs bark?")
    for try await line in response.value.lines {
        print(line)
    }
    // snippet.end
}

func readValues(client: APIClient) async throws {
    // snippet.json
    let readings = try await client.stream(ReadingsRequest(), with: "zugspitze")
    for try await reading in readings.value.jsonLines(of: Reading.self) {
        print("\(reading.celsius) °C")
    }
    // snippet.end
}

func readEvents(client: APIClient) async throws {
    // snippet.events
    let response = try await client.stream(AskRequest(), with: "Why do dogs bark?")
    for try await event in response.value.events {
        print(event.data)
    }
    // snippet.end
}

func readChunks(client: APIClient) async throws {
    // snippet.chunks
    let response = try await client.stream(ChatRequest(), with: "Why do dogs bark?")
    for try await chunk in response.value.events.decoded(as: ChatChunk.self, until: "[DONE]") {
        print(chunk.text, terminator: "")
    }
    // snippet.end
}

func listen(client: APIClient) async throws {
    // snippet.source
    for try await event in client.reconnectingEvents(of: PricesRequest(), with: "AAPL") {
        print(event.data)
    }
    // snippet.end
}

// snippet.model
@MainActor final class PriceModel {
    private(set) var price = "–"
    private let events: ByteStream.Elements<ServerSentEvent>

    init(client: APIClient, symbol: String) {
        events = client.reconnectingEvents(of: PricesRequest(), with: symbol)
    }

    func update() async throws {
        for try await event in events {
            price = event.data
        }
    }
}
// snippet.end

// snippet.interceptor
struct OpenResponses: APIInterceptor {
    let opened: @Sendable () -> Void
    let closed: @Sendable () -> Void

    func intercept<Body>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        opened()
        response.onEnd { _ in closed() }
        return response
    }
}
// snippet.end
