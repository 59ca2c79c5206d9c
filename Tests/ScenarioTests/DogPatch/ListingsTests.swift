import APIKitTesting
import Foundation
import Testing

/// Tests of the list with its client and a scripted server.
///
/// The request, the decoding and the queue are those of the app, so these tests show that the parts
/// fit together. See `ListingsModelTests` for tests with a handwritten mock.
@MainActor @Suite(.mockServer) struct ListingsTests {
    let server = MockServer.current
    let model: ListingsModel

    init() {
        model = ListingsModel(
            service: DogPatchClient(
                baseURL: URL(string: "https://dogpatch.example/api/v1/"), session: server.session))
    }

    @Test func listShowsTheDogsOfTheServer() async {
        server.on(.get("/api/v1/dogs"), reply: .fixture("dogs.json", in: .module))

        model.refresh()
        await model.call?.value

        #expect(model.dogs.map(\.title) == ["Mango, Shiba Inu", "Pepper, Akita"])
        #expect(model.errorMessage == nil)
        #expect(model.call == nil)
    }

    @Test func twoPullsSendOneRequest() async {
        server.on(.get("/api/v1/dogs"), reply: .json([String]()), times: .once)

        model.refresh()
        model.refresh()
        await model.call?.value

        #expect(model.errorMessage == nil)
    }

    @Test(arguments: [MockResponse.status(500), .failure(.timedOut), .text("no JSON")])
    func listReportsThatTheDogsCouldNotBeLoaded(reply: MockResponse) async {
        server.on(.get("/api/v1/dogs"), reply: reply)

        model.refresh()
        await model.call?.value

        #expect(model.errorMessage == "The dogs could not be loaded.")
    }

    @Test func leavingCancelsTheRequest() async throws {
        server.on(.get("/api/v1/dogs"), reply: .never)

        model.appear()
        let call = model.call
        _ = try await server.nextRequest()
        model.leave()
        await call?.value

        #expect(model.errorMessage == nil)
        #expect(model.call == nil)
    }
}
