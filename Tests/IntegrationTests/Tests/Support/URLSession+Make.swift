import APIKit
import Foundation

extension URLSession {
    /// Makes a session that shares no state with another session.
    static func make(
        cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = cache
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Sends a request with a client, and returns the response with its text.
    func load(_ request: URLRequest) async throws -> APIResponse<String> {
        try await APIClient(transport: self).response(to: TextRequest(), with: request)
    }
}

extension URLCredential {
    /// The credential that servers accept.
    static let rex = URLCredential(user: "rex", password: "bone", persistence: .none)
}

/// Whether a session has a cache.
///
/// On Linux the transport cancels a task differently if the session has a cache.
enum CacheUse: CaseIterable {
    case none, some

    /// A new cache, or `nil`.
    var cache: URLCache? {
        switch self {
        case .none: nil
        case .some: URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
    }
}
