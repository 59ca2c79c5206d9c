import APIKit
import APIKitTesting
import Testing

/// The end-to-end test: the model, the loader, the request and a URL session, without a network.
///
/// It checks that the parts fit together. Other tests cover the details.
@MainActor @Suite(.mockServer) struct NearbyEndToEndTests {
    let server = MockServer.current

    @Test func modelShowsThePointsOfTheServer() async {
        server.on(
            .get("/locations").query(exactly: ["lat": "37.3293", "long": "-121.8893"]),
            reply: .text(#"[{"name": "Fountain"}]"#))
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(), urlSession: server.session)
        let model = NearbyModel(loadingWith: loader.load)

        await model.loadPoints(near: Coordinate(latitude: 37.3293, longitude: -121.8893))

        #expect(model.points == [PointOfInterest(name: "Fountain")])
        #expect(model.message == nil)
    }
}
