import Testing

@testable import PointsOfInterest

@Suite struct CoordinateTests {
    @Test(arguments: [
        ("37.3293,-121.8893", 37.3293, -121.8893), ("-33.8568,151.2153", -33.8568, 151.2153),
        ("51.5, -0.12", 51.5, -0.12), (" 0 , 0 ", 0, 0), ("91,1000", 91, 1000),
    ])
    func readsTwoNumbersSeparatedByAComma(text: String, latitude: Double, longitude: Double) {
        #expect(Coordinate(text) == Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test(arguments: ["", "1", "1,", ",1", "1,2,3", "1;2", "north,west", "1 2"])
    func otherTextIsNotACoordinate(text: String) {
        #expect(Coordinate(text) == nil)
    }

    @Test(arguments: ["90,180", "-90,-180", "0,0"])
    func polesAndAntimeridianAreValid(text: String) throws {
        #expect(try #require(Coordinate(text)).isValid)
    }

    @Test(arguments: ["90.0001,0", "-91,0", "0,180.0001", "0,-181", "nan,0", "0,nan", "inf,0"])
    func coordinateOutOfRangeIsInvalid(text: String) throws {
        #expect(try #require(Coordinate(text)).isValid == false)
    }

    @Test func descriptionIsReadBack() {
        let coordinate = Coordinate(latitude: -33.8568, longitude: 151.2153)

        #expect(Coordinate("\(coordinate)") == coordinate)
    }
}
