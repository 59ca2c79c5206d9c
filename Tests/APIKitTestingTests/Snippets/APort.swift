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

    @Test func browserLoadsTheDogs() async throws {
        // snippet.browser
        let preflight = MockResponse.status(204)
            .header("Access-Control-Allow-Origin", "http://localhost:5173")
            .header("Access-Control-Allow-Methods", "GET, PUT, DELETE")
            .header(
                "Access-Control-Allow-Headers", "Authorization, Content-Type")
        server.on(.method(.options), reply: preflight, times: .anyNumber)
        server.on(
            .get("/v1/dogs"),
            reply: .json([rex]).header(
                "Access-Control-Allow-Origin", "http://localhost:5173"))
        // snippet.end

        try await server.listening { url in
            try await openPage(with: url)
        }
    }

    /// Sends what a browser sends for the script of a page.
    private func openPage(with url: URL) async throws {
        let url = url.appending(path: "v1/dogs")
        for method in ["OPTIONS", "GET"] {
            var request = URLRequest(url: url)
            request.httpMethod = method
            let (_, response) = try await URLSession.shared.send(request)
            let head = try #require(response as? HTTPURLResponse)
            #expect(
                head.value(forHTTPHeaderField: "Access-Control-Allow-Origin")
                    == "http://localhost:5173")
        }
    }

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
