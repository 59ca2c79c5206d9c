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
        guard let field = response.single("Content-Range"),
            let match = field.wholeMatch(of: /(?i)bytes +([0-9]+)-([0-9]+)\/([0-9]+|\*)/),
            let first = Int(match.1), let last = Int(match.2), first <= last, last < Int.max
        else { return nil }
        (self.first, self.last, total) = (first, last, Int(match.3))
        guard match.3 == "*" || total.map({ last < $0 }) == true else { return nil }
    }
}

extension StringProtocol {
    /// Whether the text is `1*DIGIT` of RFC 9110.
    var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
