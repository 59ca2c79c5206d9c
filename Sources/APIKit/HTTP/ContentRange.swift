import Foundation

/// The part of a resource that a response holds, by its `Content-Range` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    /// The size of the whole resource, if the server knows it.
    let total: Int?

    /// The position after the last byte of the part.
    var end: Int { last + 1 }

    init?(_ response: HTTPURLResponse) {
        guard let field = response.value(forHTTPHeaderField: "Content-Range") else { return nil }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sizes = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let range = sizes[0].split(separator: "-", omittingEmptySubsequences: false)
        guard sizes.count == 2, range.count == 2,
            let first = Int(digits: range[0]), let last = Int(digits: range[1]),
            first <= last, last < Int.max
        else { return nil }
        self.first = first
        self.last = last
        total = Int(digits: sizes[1])
        guard sizes[1] == "*" || total.map({ last < $0 }) == true else { return nil }
    }
}

extension Int {
    /// Creates a number from digits alone, as in `1*DIGIT` of RFC 9110, if it is in range.
    init?(digits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(text)
    }
}
