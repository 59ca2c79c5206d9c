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
}

extension URLCredential {
    /// The credential that servers accept.
    static let rex = URLCredential(user: "rex", password: "bone", persistence: .none)
}
