import APIKit
import Foundation

struct Dog: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

struct DogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}

func show(_ dogs: [Dog]) { print(dogs) }
func show(_ text: String) { print(text) }
func signIn() { print("Please sign in.") }

func load(client: APIClient) async {
    // snippet.catch
    do {
        show(try await client.load(DogsRequest(), with: "akita"))
    } catch is CancellationError {
        // The load was canceled, so there is no error to show.
    } catch let error as APIError where error.statusCode == 401 {
        signIn()
    } catch {
        show(error.localizedDescription)
    }
    // snippet.end
}

// snippet.kind
func advice(on error: APIError) -> String {
    switch error.kind {
    case .transport where (error.underlying as? URLError)?.code == .notConnectedToInternet:
        "You are offline."
    case .transport, .deadline, .status(500...):
        "The server cannot be reached. Try again later."
    case .status(403):
        "You may not see these dogs."
    case .status, .decoding, .notHTTP, .invalidRequest, .file:
        "Something went wrong. Please report this error."
    }
}
// snippet.end

// snippet.refusal
struct Refusal: Decodable {
    var code: String
    var message: String
}

extension APIError {
    var refusal: Refusal? { try? decodeBody(Refusal.self) }
}
// snippet.end

// snippet.accepts
struct DogIfAny: APIRequest {
    typealias ResponseDataType = Dog?

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }

    func accepts(_ response: HTTPURLResponse) -> Bool {
        (200..<300).contains(response.statusCode) || response.statusCode == 404
    }

    func parseResponse(_ response: APIResponse<Data>) throws -> Dog? {
        response.statusCode == 404 ? nil : try parseResponse(data: response.value)
    }
}
// snippet.end

// snippet.own
struct UnknownBreed: Error {
    var breed: String
}

struct CheckedDogsRequest: APIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from breed: String) throws -> URLRequest {
        guard breed != "wolf" else { throw UnknownBreed(breed: breed) }
        return try URLRequest(.get, "dogs", query: ["breed": breed])
    }
}
// snippet.end
