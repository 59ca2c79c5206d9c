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

/// The README shows the error of a real failure.
@Suite(.mockServer) struct ReadmeTests {
    let server = MockServer.current

    @Test func readmeShowsTheErrorOfTheTest() async throws {
        server.on(.get("/v1/dogs").query("breed", "boxer"), reply: .json([Dog]()))
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"), transport: server.session)
        let error = await #expect(throws: APIError.self) {
            try await client.load(DogsRequest(), with: "akita")
        }
        withKnownIssue { server.verify() }

        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let text = "\(try #require(error))".replacing(
            /\w+\.swift:\d+/, with: "DogsTests.swift:11")
        #expect(page.contains(": Caught error: \(text)\n```\n"))
    }
}
