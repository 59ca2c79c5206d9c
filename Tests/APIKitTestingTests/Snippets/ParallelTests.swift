import APIKit
import APIKitTesting
import Foundation
import Testing

// snippet.arguments
@Suite(.mockServer) struct BreedTests {
    let server = MockServer.current

    @Test(arguments: ["akita", "boxer", "corgi"]) func loadsEachBreed(
        breed: String
    ) async throws {
        let dogs = server.on(
            .get("/v1/dogs").query("breed", .any), reply: .json([Dog]()))

        _ = try await DogPatch(session: server.session).dogs(of: breed)

        #expect(dogs.requests.first?.url.query == "breed=\(breed)")
    }
}
// snippet.end

@Suite(.mockServer) struct ParallelSnippets {
    @Test func installedServerServesASession() async throws {
        let server = MockServer.current
        server.on(.get("/v1/dogs"), reply: .json([Dog]()))

        // snippet.install
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["User-Agent": "DogPatch/1.0"]
        server.install(in: configuration)
        let session = URLSession(configuration: configuration)
        // snippet.end

        _ = try await DogPatch(session: session).dogs(of: "akita")
        server.verify(.any.header("User-Agent", "DogPatch/1.0"))
    }
}
