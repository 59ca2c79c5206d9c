import APIKit
import APIKitTesting
import Foundation
import Testing

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

// snippet.test
@Suite(.mockServer) struct DogsTests {
    let server = MockServer.current

    @Test func loadsTheDogsOfABreed() async throws {
        let rex = Dog(id: 1, name: "Rex")
        server.on(.get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"), transport: server.session)

        #expect(try await client.load(DogsRequest(), with: "akita") == [rex])
    }
}
// snippet.end
