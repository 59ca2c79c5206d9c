import Foundation

/// Where a load is, and where it was told to go next.
struct RedirectChain {
    /// The request that is being loaded.
    var current: URLRequest?
    /// The request that was chosen to follow it.
    var next: URLRequest?
    private var count = 0

    /// Counts a redirect, and tells whether it may still be followed.
    mutating func isWithinLimit() -> Bool {
        count += 1
        return count <= Redirect.limit
    }

    mutating func takeNext() -> URLRequest? {
        defer { next = nil }
        return next
    }
}
