import Testing

@testable import PointsOfInterest

@Suite struct TableTests {
    private let here = Coordinate(latitude: 0, longitude: 0)

    @Test func columnsAreAlignedByCharacters() {
        let points = [
            PointOfInterest("Sacré-Cœur", latitude: 0.001, longitude: 0),
            PointOfInterest("Café 👩‍👩‍👧", latitude: 0, longitude: 1.5),
            PointOfInterest("Here", latitude: 0, longitude: 0),
            PointOfInterest("Unknown"),
        ]

        let table = Table(points: NearbyPoint.list(points, from: here))

        #expect(
            table.description == """
                NAME        DISTANCE  DIRECTION
                Here             0 m
                Sacré-Cœur     111 m  N
                Café 👩‍👩‍👧      166.8 km  E
                Unknown
                """)
    }

    @Test(arguments: [
        (0, "0 m"), (0.4, "0 m"), (349.6, "350 m"), (999.4, "999 m"), (999.5, "1.0 km"),
        (1240, "1.2 km"), (20_015_115, "20015.1 km"),
    ])
    func distanceIsInMetersOrKilometers(meters: Double, text: String) {
        #expect(Table.text(ofDistance: meters) == text)
    }

    @Test func pointsOfUnknownDistanceComeLastInOrder() {
        let points = [
            PointOfInterest("B"), PointOfInterest("Far", latitude: 1, longitude: 1),
            PointOfInterest("A"), PointOfInterest("Nowhere", latitude: 91, longitude: 0),
        ]

        let names = NearbyPoint.list(points, from: here).map(\.name)

        #expect(names == ["Far", "B", "A", "Nowhere"])
    }

    @Test func controlCharactersInNamesBecomeSpaces() {
        let point = PointOfInterest("A\nB\u{1B}[2JC\u{2028}D", latitude: 0, longitude: 1)

        let table = Table(points: [NearbyPoint(point, from: here)])

        #expect(table.description.split(separator: "\n").count == 2)
        #expect(table.description.contains("A B [2JC D"))
    }
}
