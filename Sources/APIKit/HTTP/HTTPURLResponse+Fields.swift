import Foundation

extension HTTPURLResponse {
    /// The header fields as text.
    package var headers: [String: String] {
        Dictionary(allHeaderFields.map { ("\($0)", "\($1)") }) { _, last in last }
    }

    /// Returns the value of a field that has one value, without the white space around it.
    ///
    /// A server behind a second proxy sends some fields twice. See ``Swift/String/asSingleValue``. On
    /// Linux, the system keeps white space at the end.
    func single(_ name: String) -> String? {
        guard let text = value(forHTTPHeaderField: name)?.asSingleValue else { return nil }
        // Trimming allocates memory.
        let isPadded = [" ", "\t"].contains { text.hasPrefix($0) || text.hasSuffix($0) }
        return isPadded ? text.trimmingCharacters(in: .whitespaces) : text
    }

    /// The media type in lower case, without parameters, or an empty text if there is none.
    var mediaType: String { (value(forHTTPHeaderField: "Content-Type") ?? "").mediaType }

    /// Whether the header fields describe content that the response does not contain.
    ///
    /// `Content-Length` then gives the size of the content for a GET (RFC 9110, section 8.6).
    package func omitsContent(for request: URLRequest) -> Bool {
        request.method == .head || statusCode == 304
    }

    /// Whether the body has no content coding.
    var isIdentity: Bool {
        value(forHTTPHeaderField: "Content-Encoding")
            .map { $0.lowercased().asSingleValue == "identity" } ?? true
    }

    /// The size of the body that the transport returns, or `nil` if it is unknown.
    ///
    /// `Transfer-Encoding` overrides `Content-Length`, and a 204 has no body even if a header field
    /// gives it a length (RFC 9112, section 6.3).
    var bodyLength: Int? {
        guard isIdentity, statusCode != 204, value(forHTTPHeaderField: "Transfer-Encoding") == nil
        else { return nil }
        return single("Content-Length").flatMap { $0.isDigits ? Int($0) : nil }
    }

    /// The strong validator of the resource: parts with the same validator can be combined.
    ///
    /// It is a strong `ETag`. Without any `ETag`, it is a `Last-Modified` at least one second older
    /// than the response. Every later change of the resource changes the validator (RFC 9110,
    /// sections 8.8 and 13.1.5).
    var strongValidator: String? {
        if let tag = single("ETag") {
            return EntityTag.isStrong(tag) && tag.isFieldValue ? tag : nil
        }
        guard let modified = single("Last-Modified"), modified.isFieldValue,
            let modifiedDate = HTTPDate.parse(modified), let date = date(in: "Date"),
            date.timeIntervalSince(modifiedDate) >= 1
        else { return nil }
        return modified
    }

    /// Returns the delay that `Retry-After` gives in seconds or by a date (RFC 9110, section
    /// 10.2.3).
    ///
    /// A date is compared with the `Date` of the response, because the device's clock may be wrong.
    /// Without a `Date`, it is compared with `now`. The delay is `nil` if the field is malformed or
    /// the date has passed.
    func retryDelay(from now: Date) -> Duration? {
        guard let text = single("Retry-After") else { return nil }
        if text.isDigits { return .seconds(Int64(text) ?? Int64.max) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let seconds = date.timeIntervalSince(self.date(in: "Date") ?? now)
        // A duration traps on more than 2^63 seconds.
        return seconds > 0 ? .seconds(min(seconds, 1e18)) : nil
    }

    private func date(in field: String) -> Date? {
        single(field).flatMap(HTTPDate.parse)
    }
}

extension String {
    /// The media type of a `Content-Type` in lower case, without parameters.
    package var mediaType: String {
        lowercased().asSingleValue.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    }

    /// The value of a field that has one value, which counts once if it is repeated.
    ///
    /// The system joins repeated fields by commas (RFC 9110, section 5.3). A date, a quoted text and a
    /// URL contain commas too, so the parts between commas must repeat as a whole.
    package var asSingleValue: String {
        guard utf8.contains(UInt8(ascii: ",")) else { return self }
        let parts = utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let texts = parts.map { Substring($0).trimmingCharacters(in: .whitespaces) }
        let period = (1...parts.count / 2).first { period in
            parts.count.isMultiple(of: period)
                && texts.dropFirst(period).elementsEqual(texts.dropLast(period))
        }
        guard let period else { return self }
        return self[..<parts[period - 1].endIndex].trimmingCharacters(in: .whitespaces)
    }
}

/// The dates of HTTP.
package enum HTTPDate {
    /// Reads a date in one of its three formats (RFC 9110, section 5.6.7).
    package static func parse(_ text: String) -> Date? {
        // Only the format without a zone ends with the year.
        text.hasSuffix(" GMT") || text.suffix(5).first == " " ? cookieDate(text) : nil
    }

    /// Reads the date of a cookie in any of its many formats (RFC 6265, section 5.1.1).
    package static func cookieDate(_ text: String) -> Date? {
        var parts = DateComponents(calendar: Calendar(identifier: .gregorian), timeZone: .gmt)
        var seconds = 0
        let tokens = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != ":" }
        for token in tokens {
            // Longer numbers are no part of a date.
            let numbers = token.split(separator: ":").compactMap { $0.count > 4 ? nil : Int($0) }
            if numbers.count == 3 {
                (parts.hour, parts.minute, seconds) = (numbers[0], numbers[1], numbers[2])
            } else if let month = months.firstIndex(of: token.prefix(3)) {
                parts.month = month + 1
            } else if let number = numbers.first, parts.day == nil {
                parts.day = number
            } else if let number = numbers.first, parts.year == nil {
                parts.year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
            }
        }
        let isComplete = parts.hour != nil && parts.month != nil && parts.year != nil
        // A leap second is the second 60, which no calendar knows.
        guard isComplete, 0...60 ~= seconds, parts.isValidDate else { return nil }
        return parts.date.map { $0 + Double(seconds) }
    }

    private static let months =
        "jan feb mar apr may jun jul aug sep oct nov dec".split(separator: " ")

    /// Returns the text of a date in the preferred format.
    package static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
