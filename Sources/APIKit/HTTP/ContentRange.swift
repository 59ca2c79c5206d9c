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
        let (unit, rest) = (response.single("Content-Range") ?? "").split(at: " ")
        let (range, size) = rest.drop { $0 == " " }.split(at: "/")
        let (start, end) = range.split(at: "-")
        guard unit.lowercased() == "bytes", start.isDigits, end.isDigits,
            let first = Int(start), let last = Int(end), first <= last, last < Int.max
        else { return nil }
        (self.first, self.last, total) = (first, last, size.isDigits ? Int(size) : nil)
        guard size == "*" || total.map({ last < $0 }) == true else { return nil }
    }
}
