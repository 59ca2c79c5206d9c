import APIKit
import APIKitTesting
import Foundation
import Testing

// snippet.suite
@Suite(.mockServer) struct DogPatchTests {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")

    var patch: DogPatch { DogPatch(session: server.session) }

    @Test func loadsTheDogsOfABreed() async throws {
        server.on(.get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))

        #expect(try await patch.dogs(of: "akita") == [rex])
    }
}
// snippet.end

extension DogPatchTests {
    // snippet.failure
    @Test func throwsTheBodyOfARefusal() async throws {
        server.on(
            .get("/v1/dogs"),
            reply: .json(["reason": "no such breed"], status: 404))

        let error = await #expect(throws: APIError.self) {
            try await patch.dogs(of: "wolf")
        }

        #expect(
            try error?.decodeBody([String: String].self) == [
                "reason": "no such breed"
            ])
    }
    // snippet.end

    // snippet.sequence
    @Test func retriesUntilTheServerRecovers() async throws {
        server.on(
            .get("/v1/dogs"), reply: .status(503), .failure(.timedOut),
            .json([rex]))

        #expect(try await patch.dogs(of: "akita") == [rex])
    }
    // snippet.end

    // snippet.post
    @Test func sendsTheDogAsJSON() async throws {
        let add = server.on(
            .post("/v1/dogs").json(rex), reply: .status(201), times: .once)

        try await patch.add(rex)

        #expect(
            add.requests.first?.header("Content-Type") == "application/json")
    }
    // snippet.end
}
