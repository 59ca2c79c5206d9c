import Testing

@testable import PointsOfInterest

@Suite struct GreatCircleTests {
    private static let eighthOfTheEarth = 5_003_779.0

    @Test(arguments: [
        // A degree along the equator, a degree across the antimeridian, and the same place twice.
        ("0,0", "0,1", 111_195.0), ("0,179.5", "0,-179.5", 111_195), ("0,180", "0,-180", 0),
        // Over the pole, from pole to pole, and between two antipodes.
        ("89.5,0", "89.5,180", 111_195), ("90,0", "-90,123", 20_015_115),
        ("10,20", "-10,-160", 20_015_115), ("90,0", "45,77", eighthOfTheEarth),
        // London to Paris.
        ("51.5007,-0.1246", "48.8584,2.2945", 340_539),
    ])
    func distanceFollowsTheGreatCircle(from: String, to: String, meters: Double) throws {
        let start = try #require(Coordinate(from))
        let end = try #require(Coordinate(to))

        #expect(abs(start.distance(to: end) - meters) < 1)
        #expect(abs(end.distance(to: start) - meters) < 1)
    }
}
