import APIKit
import Foundation

extension URLSession {
    /// Makes a session that shares no state with another session.
    static func make(
        cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = cache
        #if !canImport(FoundationNetworking)
        // Apple has announced this mode as the default to come.
        if #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *),
            ProcessInfo.processInfo.environment["NEW_LOADING_MODE"] != nil
        {
            configuration.usesClassicLoadingMode = false
        }
        #endif
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }
}

extension URLCredential {
    /// The credential that servers accept.
    static let rex = URLCredential(user: "rex", password: "bone", persistence: .none)
}
