import APIKit
import Foundation

func show(_ text: String) { print(text) }

// snippet.request
struct AskRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest(.post, "answers", body: .json(["question": question]))
    }
}
// snippet.end

struct Reading: Decodable, Sendable {
    var celsius: Double
}

struct ReadingsRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from station: String) throws -> URLRequest {
        try URLRequest(.get, "stations/\(station)/readings")
    }
}

// snippet.prices
struct PricesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from symbol: String) throws -> URLRequest {
        try URLRequest(.get, "prices/\(symbol)")
    }
}
// snippet.end

func read(client: APIClient, question: String) async throws {
    // snippet.lines
    let response = try await client.stream(AskRequest(), with: question)
    for try await line in response.value.lines {
        show(line)
    }
    // snippet.end
}

func readValues(client: APIClient) async throws {
    // snippet.json
    let readings = try await client.stream(ReadingsRequest(), with: "zugspitze")
    for try await reading in readings.value.jsonLines(of: Reading.self) {
        show("\(reading.celsius) °C")
    }
    // snippet.end
}

func readEvents(client: APIClient, question: String) async throws {
    // snippet.events
    let response = try await client.stream(AskRequest(), with: question)
    for try await event in response.value.events where event.data != "[DONE]" {
        show(event.data)
    }
    // snippet.end
}

func listen(client: APIClient) async throws {
    // snippet.source
    for try await event in client.events(of: PricesRequest(), with: "AAPL") {
        show(event.data)
    }
    // snippet.end
}

// snippet.interceptor
final class OpenResponses: APIInterceptor {
    private let count = Counter()

    func intercept<Body>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        count.increase()
        response.onEnd { [count] _ in count.decrease() }
        return response
    }
}
// snippet.end

final class Counter: Sendable {
    func increase() {}
    func decrease() {}
}
