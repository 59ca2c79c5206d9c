import Foundation

/// How far a load has come along its redirects.
struct RedirectChain {
    /// The request that is being loaded.
    var current: URLRequest?
    /// How many redirects there were before it.
    var count = 0
}
