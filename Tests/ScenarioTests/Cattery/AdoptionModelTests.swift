import APIKit
import APIKitTesting
import CatteryAPI
import Testing

/// Tests of the app.
///
/// They reach the networking module through its public API: the transport of the client, and the
/// request types as routes.
@MainActor @Suite(.mockServer) struct AdoptionModelTests {
    let server = MockServer.current

    private func model(observedBy recorder: CallRecorder = CallRecorder()) -> AdoptionModel {
        AdoptionModel(cattery: CatteryClient(transport: server.session) { _ in [recorder] })
    }

    @Test func catsOfTheBreedAreShown() async {
        server.on(
            .request(CatsRequest(), with: "siamese"),
            reply: .json(text: #"[{"cat_id": 1, "call_name": "Tom", "adopted_at": null}]"#))
        let model = model()

        await model.show(breed: "siamese")

        #expect(model.cats == [Cat(id: 1, name: "Tom")])
        #expect(model.message == nil)
    }

    @Test func adoptedCatLeavesTheList() async throws {
        server.on(
            .request(CatsRequest(), with: "siamese"),
            reply: .json(text: #"[{"cat_id": 1, "call_name": "Tom"}]"#))
        server.on(.put("/api/cats/1/adoption").json(at: "adopted", true), reply: .status(204))
        let model = model()
        await model.show(breed: "siamese")

        await model.adopt(try #require(model.cats.first))

        #expect(model.cats.isEmpty)
    }

    @Test func missingNameIsReportedAndShown() async {
        server.on(
            .request(CatsRequest(), with: "siamese"), reply: .json(text: #"[{"cat_id": 1}]"#))
        let recorder = CallRecorder()
        let model = model(observedBy: recorder)

        await model.show(breed: "siamese")

        #expect(model.message == "The cats cannot be shown.")
        #expect(recorder.steps.last == .callFailed)
        #expect(recorder.errors.map { ($0 as? APIError)?.kind } == [.decoding])
    }
}
