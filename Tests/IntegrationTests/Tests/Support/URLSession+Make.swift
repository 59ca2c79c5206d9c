import APIKit
import Foundation

extension URLSession {
    /// A session that shares nothing with any other and keeps no cache.
    static func make(
        cache: URLCache? = nil,
        delegate: (any URLSessionDelegate)? = nil,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = cache
        configure(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Sends a request through a client, and returns the head and the text of the answer.
    func load(_ request: URLRequest) async throws -> APIResponse<String> {
        try await APIClient(transport: self).response(to: TextRequest(), with: request)
    }
}
