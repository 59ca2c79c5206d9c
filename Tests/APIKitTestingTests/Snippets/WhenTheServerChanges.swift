import APIKit
import APIKitTesting
import Foundation
import Testing

// snippet.trait
@Suite(.mockServer(stubsLike: Cassette("dogs"))) struct StubbedDogTests {
    let server = MockServer.current

    @Test func loadsTheDogsOfABreed() async throws {
        server.on(.get("/v1/dogs"), reply: .json([["id": 1, "name": "Rex"]]))

        #expect(
            try await DogPatch(session: server.session).dogs(of: "akita").count
                == 1)
    }
}
// snippet.end

@Suite(.mockServer) struct WhenTheServerChangesSnippets {
    let server = MockServer.current

    @Test func stubIsARecordedResponse() async throws {
        // snippet.recorded
        let max = MockResponse.recorded(
            .get("/v1/dogs"), in: Cassette("dogs"),
            changing: ["[0].name": "Max"])
        server.on(.get("/v1/dogs"), reply: max)
        // snippet.end

        let dogs = try await DogPatch(session: server.session).dogs(of: "akita")
        #expect(dogs.first?.name == "Max")
    }
}
