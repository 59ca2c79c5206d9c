import Testing

@testable import PointsOfInterest

@Suite struct TableTests {
    private let here = Coordinate(latitude: 0, longitude: 0)

    @Test func columnsAreAlignedForNamesOfAnyWidth() {
        let points = [
            PointOfInterest("東京タワー", latitude: 0.001, longitude: 0),
            PointOfInterest("Café 👩‍👩‍👧", latitude: 0, longitude: 18),
            PointOfInterest("Here", latitude: 0, longitude: 0),
            PointOfInterest("Unknown"),
        ]

        let table = Table(points: NearbyPoint.list(points, from: here))

        #expect(
            table.description == """
                 DISTANCE  DIRECTION  NAME
                      0 m             Here
                    111 m  N          東京タワー
                2001.5 km  E          Café 👩‍👩‍👧
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

    @Test(arguments: [
        ("A\nB\u{1B}[2JC\u{9B}D\u{2028}E", "A B [2JC D E"),
        ("Tower \u{202E}gnp.exe\u{2066}\u{2069}\u{200F}\u{61C}!", "Tower gnp.exe!"),
        ("Sensō-ji 👩‍👩‍👧 کتاب‌خانه", "Sensō-ji 👩‍👩‍👧 کتاب‌خانه"),
    ])
    func charactersThatControlTheTerminalAreNotInATable(name: String, expected: String) {
        let table = Table(points: [NearbyPoint(PointOfInterest(name), from: here)])

        #expect(table.description.split(separator: "\n").count == 2)
        #expect(table.description.hasSuffix("  \(expected)"))
    }
}
