import APIKitTesting
import Foundation
import Testing

/// The list together with its client, all the way to the server.
///
/// A scripted server is at its best here: the request, the decoding and the queue are the real ones,
/// so they are known to fit together.
@MainActor @Suite(.mockServer) struct ListingsTests {
    let server = MockServer.current
    let model: ListingsModel

    init() {
        let client = DogPatchClient(
            baseURL: URL(string: "https://dogpatch.example/api/v1/"), session: server.session,
            responseQueue: .main)
        model = ListingsModel(service: client)
    }

    @Test func showsTheDogsOfTheServer() async {
        server.on(.get("/api/v1/dogs"), reply: .fixture("dogs.json", in: .module))

        model.refresh()
        await model.call?.value

        #expect(model.dogs.map(\.title) == ["Mango, Shiba Inu", "Pepper, Akita"])
        #expect(model.errorMessage == nil)
        #expect(model.call == nil)
    }

    @Test func asksOnceHoweverOftenTheUserPulls() async {
        server.on(.get("/api/v1/dogs"), reply: .json([String]()), times: .once)

        model.refresh()
        model.refresh()
        await model.call?.value

        #expect(model.errorMessage == nil)
    }

    @Test(arguments: [MockResponse.status(500), .failure(.timedOut), .text("no JSON")])
    func saysThatTheDogsCouldNotBeFetched(reply: MockResponse) async {
        server.on(.get("/api/v1/dogs"), reply: reply)

        model.refresh()
        await model.call?.value

        #expect(model.errorMessage == "The dogs could not be fetched.")
    }

    @Test func saysNothingWhenTheUserLeaves() async throws {
        server.on(.get("/api/v1/dogs"), reply: .never)

        model.refresh()
        _ = try await server.nextRequest()
        model.leave()
        await model.call?.value

        #expect(model.errorMessage == nil)
        #expect(model.call == nil)
    }
}
