import Testing

@testable import PointsOfInterest

@Suite struct CompassPointTests {
    @Test(arguments: [
        (0, "N"), (11.24, "N"), (11.26, "NNE"), (45, "NE"), (90, "E"), (135, "SE"), (180, "S"),
        (225, "SW"), (270, "W"), (315, "NW"), (348.74, "NNW"), (348.76, "N"), (360, "N"),
    ])
    func pointIsTheClosestToTheBearing(bearing: Double, name: String) {
        #expect(CompassPoint(bearing: bearing).rawValue == name)
    }
}
