import APIKit
import Testing

/// Tests of the model alone: a closure takes the place of the loader.
@MainActor @Suite struct NearbyModelTests {
    let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @Test func modelShowsThePoints() async {
        let model = NearbyModel { _ in [PointOfInterest(name: "Fountain")] }

        await model.loadPoints(near: sanJose)

        #expect(model.points == [PointOfInterest(name: "Fountain")])
        #expect(model.message == nil)
    }

    @Test func modelReportsAnInvalidCoordinate() async {
        let model = NearbyModel { _ in throw RequestError.invalidCoordinate }

        await model.loadPoints(near: sanJose)

        #expect(model.message == "The coordinate is not on Earth.")
    }

    @Test(arguments: [
        (APIError.Kind.transport, "The server cannot be reached."),
        (.status(503), "The server refused the request."),
        (.decoding, "The response cannot be read."),
    ])
    func modelReportsAFailedLoad(kind: APIError.Kind, message: String) async {
        let model = NearbyModel { _ in throw APIError(kind) }

        await model.loadPoints(near: sanJose)

        #expect(model.message == message)
    }

    @Test func modelKeepsItsPointsWhenTheNextLoadFails() async {
        let model = NearbyModel { coordinate in
            guard coordinate.isValid else { throw RequestError.invalidCoordinate }
            return [PointOfInterest(name: "Fountain")]
        }

        await model.loadPoints(near: sanJose)
        await model.loadPoints(near: Coordinate(latitude: 91, longitude: 0))

        #expect(model.points == [PointOfInterest(name: "Fountain")])
        #expect(model.message == "The coordinate is not on Earth.")
    }

    @Test func modelCallsOnChangeAfterEachLoad() async {
        let model = NearbyModel { coordinate in
            guard coordinate.isValid else { throw RequestError.invalidCoordinate }
            return [PointOfInterest(name: "Fountain")]
        }
        var shown: [String?] = []
        model.onChange = { shown.append(model.message ?? model.points.first?.name) }

        await model.loadPoints(near: sanJose)
        await model.loadPoints(near: Coordinate(latitude: 91, longitude: 0))

        #expect(shown == ["Fountain", "The coordinate is not on Earth."])
    }
}
