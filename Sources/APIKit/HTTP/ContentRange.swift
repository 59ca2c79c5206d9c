import Foundation

/// The part of a resource that a response contains, from `Content-Range` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    /// The size of the whole resource, or `nil` if the server does not give it.
    let total: Int?

    /// The position after the last byte of the part.
    var end: Int { last + 1 }

    init?(_ response: HTTPURLResponse) {
        guard let field = response.value(forHTTPHeaderField: "Content-Range") else { return nil }
        let parts = field.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sizes = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let range = sizes[0].split(separator: "-", omittingEmptySubsequences: false)
        guard sizes.count == 2, range.count == 2,
            let first = Int(digits: range[0]), let last = Int(digits: range[1]),
            first <= last, last < Int.max
        else { return nil }
        (self.first, self.last, total) = (first, last, Int(digits: sizes[1]))
        guard sizes[1] == "*" || total.map({ last < $0 }) == true else { return nil }
    }
}

extension StringProtocol {
    /// Whether the text is `1*DIGIT` of RFC 9110.
    var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Int {
    /// Creates a number from digits, or `nil` for another text or a number out of range.
    init?(digits text: some StringProtocol) {
        guard text.isDigits else { return nil }
        self.init(text)
    }
}
