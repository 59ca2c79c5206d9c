import Foundation

/// A table with a line for each point and aligned columns.
struct Table: Sendable, CustomStringConvertible {
    let points: [NearbyPoint]

    /// The lines, without trailing spaces.
    var description: String {
        let rows =
            [["NAME", "DISTANCE", "DIRECTION"]]
            + points.map { point in
                [
                    point.name.oneLine, point.distance.map(Self.text(ofDistance:)) ?? "",
                    point.direction?.rawValue ?? "",
                ]
            }
        let nameWidth = rows.map(\.[0].count).max() ?? 0
        let distanceWidth = rows.map(\.[1].count).max() ?? 0
        return rows.map { row in
            let name = row[0] + Self.spaces(nameWidth - row[0].count)
            let distance = Self.spaces(distanceWidth - row[1].count) + row[1]
            var line = "\(name)  \(distance)  \(row[2])"
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        .joined(separator: "\n")
    }

    /// Returns a distance as text: in kilometers if it is at least one, and otherwise in meters.
    static func text(ofDistance meters: Double) -> String {
        let wholeMeters = Int(meters.rounded())
        // Without a locale, the decimal separator is always a point.
        return wholeMeters < 1000
            ? "\(wholeMeters) m" : String(format: "%.1f km", meters / 1000)
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: count)
    }
}
