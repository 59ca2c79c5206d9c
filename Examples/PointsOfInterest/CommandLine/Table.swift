import Foundation

/// A table with a line for each point and aligned columns.
struct Table: Sendable, CustomStringConvertible {
    let points: [NearbyPoint]

    /// The lines of the table.
    var description: String {
        let rows =
            [("DISTANCE", "DIRECTION", "NAME")]
            + points.map { point in
                (
                    point.distance.map(Self.text(ofDistance:)) ?? "",
                    point.direction?.rawValue ?? "", point.name.oneLine
                )
            }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { distance, direction, name in
            let indent = String(repeating: " ", count: width - distance.count)
            let paddedDirection = direction.padding(toLength: 9, withPad: " ", startingAt: 0)
            // Names are last, because terminals disagree on the width of characters such as 🗼.
            return "\(indent)\(distance)  \(paddedDirection)  \(name)"
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
}
