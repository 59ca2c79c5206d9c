import Testing

@testable import PointsOfInterest

@Suite struct AtlasPlacesTests {
    @Test func namesAreUniqueWithinACity() {
        for place in Atlas.places {
            let neighbors = Atlas.places.filter { isNear($0, place) }
            #expect(neighbors.filter { $0.name == place.name }.count == 1)
        }
    }

    @Test(arguments: Atlas.places)
    func placeIsValidAndNearFiveOthers(place: PointOfInterest) {
        // A wrong sign or swapped numbers would put a place far from its city.
        #expect(place.coordinate != nil)
        #expect(Atlas.places.filter { isNear($0, place) }.count >= 6)
    }

    private func isNear(_ first: PointOfInterest, _ second: PointOfInterest) -> Bool {
        guard let first = first.coordinate, let second = second.coordinate else { return false }
        return first.distance(to: second) < 15_000
    }
}
