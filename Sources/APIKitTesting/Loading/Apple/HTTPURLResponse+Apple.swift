import Foundation

#if !canImport(FoundationNetworking)

extension HTTPURLResponse {
    /// Whether the response was made with `HTTPURLResponse()`.
    var isBare: Bool { url == nil }
}

#endif
