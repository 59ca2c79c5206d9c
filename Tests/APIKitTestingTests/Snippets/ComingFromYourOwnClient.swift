import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct OwnClientSnippets {
    let server = MockServer.current

    var client: APIClient {
        APIClient(baseURL: URL(string: "https://api.example.com/v1"), transport: server.session)
    }

    // snippet.errors
    @Test func missingDogThrowsItsStatus() async {
        server.on(.get("/v1/dogs/7"), reply: .status(404))

        let error = await #expect(throws: APIError.self) {
            try await client.load(DogRequest(), with: 7)
        }

        #expect(error?.kind == .status(404))
    }

    @Test func offlineCallThrowsTheErrorOfTheSession() async {
        server.on(.get("/v1/dogs/7"), reply: .failure(.notConnectedToInternet))

        let error = await #expect(throws: APIError.self) {
            try await client.load(DogRequest(), with: 7)
        }

        #expect(error?.urlError?.code == .notConnectedToInternet)
    }
    // snippet.end
}

private struct DogRequest: APIRequest {
    typealias ResponseDataType = Dog

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs/\(id)")
    }
}
