import Foundation

#if !canImport(FoundationNetworking)

extension HTTPURLResponse {
    /// Whether the response was made with `HTTPURLResponse()`.
    var isEmpty: Bool { url == nil }
}

#endif
