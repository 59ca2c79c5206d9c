import APIKit
import APIKitTesting
import Foundation
import Testing

/// What can be tested after the split: each rule by itself, with the loading made up on the spot.
@MainActor @Suite struct NearbyModelTests {
    let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @Test func showsThePoints() async {
        let model = NearbyModel { _ in [PointOfInterest(name: "Fountain")] }

        await model.loadPoints(near: sanJose)

        #expect(model.points == [PointOfInterest(name: "Fountain")])
        #expect(model.message == nil)
    }

    @Test func saysThatACoordinateIsNowhere() async {
        let model = NearbyModel { _ in throw RequestError.invalidCoordinate }

        await model.loadPoints(near: sanJose)

        #expect(model.message == "That is no place on Earth.")
    }

    @Test(arguments: [
        (APIError.Kind.transport, "The server cannot be reached."),
        (.status(503), "The server has no answer right now."),
        (.decoding, "The answer makes no sense."),
    ])
    func saysWhyNothingWasLoaded(kind: APIError.Kind, message: String) async {
        let model = NearbyModel { _ in throw APIError(kind) }

        await model.loadPoints(near: sanJose)

        #expect(model.message == message)
    }

    @Test func keepsItsPointsWhenTheNextLoadFails() async {
        let model = NearbyModel { coordinate in
            guard coordinate.isValid else { throw RequestError.invalidCoordinate }
            return [PointOfInterest(name: "Fountain")]
        }

        await model.loadPoints(near: sanJose)
        await model.loadPoints(near: Coordinate(latitude: 91, longitude: 0))

        #expect(model.points == [PointOfInterest(name: "Fountain")])
        #expect(model.message == "That is no place on Earth.")
    }

    /// One test puts the parts together; the details have been tested where they are.
    @Test func loadsWithALoader() async {
        let server = MockServer { _ in .text(#"[{"name": "Fountain"}]"#) }
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(), urlSession: server.session)
        let model = NearbyModel(loadingWith: loader.load)

        await model.loadPoints(near: sanJose)

        #expect(model.points == [PointOfInterest(name: "Fountain")])
    }
}
