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

struct PricesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from symbol: String) throws -> URLRequest {
        try URLRequest(.get, "prices/\(symbol)")
    }
}

func read(client: APIClient) async throws {
    // snippet.lines
    let response = try await client.stream(
        AskRequest(), with: "Why do dogs bark?")
    for try await line in response.value.lines {
        print(line)
    }
    // snippet.end
}

func readChunks(client: APIClient) async throws {
    // snippet.chunks
    let response = try await client.stream(
        ChatRequest(), with: "Why do dogs bark?")
    for try await chunk in response.value.events.decoded(
        as: ChatChunk.self, until: "[DONE]")
    {
        print(chunk.text, terminator: "")
    }
    // snippet.end
}

func listen(client: APIClient) async throws {
    // snippet.source
    for try await event in client.reconnectingEvents(
        of: PricesRequest(), with: "AAPL")
    {
        print(event.data)
    }
    // snippet.end
}
