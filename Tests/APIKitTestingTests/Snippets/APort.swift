import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct PortSnippets {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")

    // snippet.listening
    @Test func loadsTheDogsFromAPort() async throws {
        server.on(.get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))

        try await server.listening { url in
            // The client connects to the port, as any other program does.
            let client = APIClient(baseURL: url.appending(path: "v1"))
            let dogs = try await client.load(DogsRequest(), with: "akita")
            #expect(dogs == [rex])
        }
    }
    // snippet.end

    // snippet.replay
    @Test func recordingRepliesOnAPort() async throws {
        server.replay("dogs")

        try await server.listening(as: URL(string: "https://api.example.com")) {
            url in
            let client = APIClient(baseURL: url.appending(path: "v1"))
            let dogs = try await client.load(DogsRequest(), with: "akita")
            #expect(dogs == [rex])
        }
    }
    // snippet.end
}
