import Foundation

/// The value of a header field that is a list, such as `Vary` or `Cache-Control`.
struct HeaderList {
    /// The elements in lower case, with their parameters.
    let words: [String]

    /// Splits a list at its commas (RFC 9110, section 5.6.1).
    init(_ value: String?) {
        words = (value ?? "").lowercased().split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
