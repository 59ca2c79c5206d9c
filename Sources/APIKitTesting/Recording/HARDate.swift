import Foundation

/// Dates of ISO 8601 with milliseconds.
enum HARDate {
    /// Returns the date of a text such as `2026-01-31T12:00:00.123+01:00`.
    static func parse(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? style.parse(text) else { return nil }
        return self.date(milliseconds: (date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Returns the text of a date, in UTC.
    static func text(of date: Date) -> String {
        // The style truncates, and a `Double` can be slightly less than its millisecond.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded() + 0.1
        return Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            .format(self.date(milliseconds: milliseconds))
    }

    static func date(milliseconds: Double) -> Date {
        Date(timeIntervalSince1970: milliseconds / 1000)
    }
}
