import APIKit
import Foundation

nonisolated struct Dog: Codable, Sendable, Equatable {
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
    } catch let error as APIError {
        show(advice(on: error))
    } catch {
        show(error.localizedDescription)
    }
    // snippet.end
}

// snippet.kind
func advice(on error: APIError) -> String {
    switch error.kind {
    case .transport where error.urlError?.code == .notConnectedToInternet:
        "You are offline."
    case .transport, .deadline, .overloaded, .status(500...):
        "The server cannot be reached. Try again later."
    case .status(403):
        "You may not see these dogs."
    case .status, .bodyTooLarge, .decoding, .notHTTP, .invalidRequest, .file:
        "Something went wrong. Please report this error."
    @unknown default:
        "Something went wrong. Please report this error."
    }
}
// snippet.end

// snippet.refusal
struct DogPatchError: Error, Decodable {
    var errorCode: String
    var message: String
}

nonisolated protocol DogPatchRequest: APIRequest {}

nonisolated extension DogPatchRequest {
    var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        try decoder.decode(DogPatchError.self, from: response.value)
    }
}
// snippet.end

struct AdoptDog: DogPatchRequest {
    typealias ResponseDataType = Void

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.post, "dogs/\(id)/adoptions")
    }
}

func adopt(client: APIClient) async throws {
    // snippet.catch-refusal
    do {
        try await client.load(AdoptDog(), with: 7)
    } catch let error as DogPatchError
        where error.errorCode == "already_adopted"
    {
        show(error.message)
    }
    // snippet.end
}

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
        response.statusCode == 404
            ? nil : try parseResponse(data: response.value)
    }
}
// snippet.end
