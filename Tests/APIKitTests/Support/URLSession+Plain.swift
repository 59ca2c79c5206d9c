import APIKit
import Foundation

extension URLSession {
    /// A session without a cache, so that its tasks can be cancelled on every platform.
    static func plain(
        delegate: (any URLSessionDelegate)? = nil,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        // A busy machine may take longer than the minute that the system allows.
        configuration.timeoutIntervalForRequest = 600
        configure(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }
}
