import Foundation

/// Dates of ISO 8601 with any number of fraction digits and any offset from UTC.
enum HARDate {
    /// Returns the date of a text such as `2026-01-31T12:00:00.123+01:00`.
    ///
    /// A date without an offset is in UTC.
    static func parse(_ text: String) -> Date? {
        var digits = Substring(text)
        guard let year = number(&digits, 4), skip("-", &digits),
            let month = number(&digits, 2), (1...12).contains(month), skip("-", &digits),
            let day = number(&digits, 2), (1...31).contains(day),
            skip("T", &digits) || skip(" ", &digits),
            let hour = number(&digits, 2), skip(":", &digits),
            let minute = number(&digits, 2), skip(":", &digits),
            let second = number(&digits, 2)
        else { return nil }
        var milliseconds = 0.0
        if skip(".", &digits) {
            let fraction = digits.prefix { $0.isASCII && $0.isNumber }
            guard let value = Double("0.\(fraction)") else { return nil }
            milliseconds = (value * 1000).rounded()
            digits = digits[fraction.endIndex...]
        }
        guard let offset = minutesFromUTC(digits) else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return date(milliseconds: Double(minutes * 60 + second) * 1000 + milliseconds)
    }

    /// Returns the text of a date, in UTC and with milliseconds.
    static func text(of date: Date) -> String {
        let time = (date.timeIntervalSince1970 * 1000).rounded()
        // The years 0 through 9999.
        let milliseconds =
            time.isNaN ? 0 : Int(min(max(time, -62_167_219_200_000), 253_402_300_799_999))
        let (dayCount, rest) = divide(milliseconds, by: 86_400_000)
        let (year, month, day) = civil(dayCount)
        let fields = [
            padded(year, 4), "-", padded(month), "-", padded(day), "T",
            padded(rest / 3_600_000), ":", padded(rest / 60_000 % 60), ":",
            padded(rest / 1000 % 60), ".", padded(rest % 1000, 3), "Z",
        ]
        return fields.joined()
    }

    static func date(milliseconds: Double) -> Date {
        Date(timeIntervalSince1970: milliseconds / 1000)
    }
}

extension HARDate {
    /// The number of the first digits, of which there must be a count.
    private static func number(_ text: inout Substring, _ count: Int) -> Int? {
        let digits = text.prefix(count)
        guard digits.utf8.count == count, digits.allSatisfy({ $0.isNumber }) else { return nil }
        text = text.dropFirst(count)
        return Int(digits)
    }

    private static func skip(_ character: Character, _ text: inout Substring) -> Bool {
        guard text.first == character else { return false }
        text = text.dropFirst()
        return true
    }

    /// The offset at the end of a date: nothing, `Z`, `+01:00`, `+0100` or `+01`.
    private static func minutesFromUTC(_ text: Substring) -> Int? {
        guard !text.isEmpty, text != "Z", text != "z" else { return 0 }
        var digits = text.dropFirst()
        guard let sign = ["+": 1, "-": -1][text.prefix(1)], let hours = number(&digits, 2) else {
            return nil
        }
        _ = skip(":", &digits)
        let minutes = digits.isEmpty ? 0 : number(&digits, 2)
        guard let minutes, digits.isEmpty else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

// The Gregorian calendar in arithmetic, because a formatter costs more than the rest of an entry.
// A year begins in March, so that a leap day is its last day, and an era has 400 years.
extension HARDate {
    /// The number of days from 1970-01-01.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = divide(month > 2 ? year : year - 1, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divide(days + 719_468, by: 146_097)
        let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    /// The quotient, rounded down, and the remainder.
    private static func divide(_ value: Int, by divisor: Int) -> (Int, Int) {
        let remainder = ((value % divisor) + divisor) % divisor
        return ((value - remainder) / divisor, remainder)
    }
}
