import APIKit
import Foundation

/// The error of a request that a mock cannot load.
struct MockLoadingError: ErrorWithoutSecrets, CustomStringConvertible, LocalizedError,
    CustomNSError
{
    let description: String

    var errorDescription: String? { description }
    // On Apple platforms a URL session keeps only the domain, code and user info of an error.
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// The error for a request while `MockURLProtocol.requestHandler` is `nil`.
    static func handlerIsMissing(_ url: URL) -> MockLoadingError {
        MockLoadingError(
            description: """
                \(Redaction.masked(url)) was requested, but MockURLProtocol.requestHandler is \
                nil. Set it before the request is made.
                """)
    }

    /// The error for a session whose server has been released.
    static func serverIsGone(_ url: URL) -> MockLoadingError {
        MockLoadingError(
            description: """
                \(Redaction.masked(url)) was requested by a session whose MockServer has been \
                released. Keep the server while its sessions are in use, for example in a property \
                of the test. The expression MockServer().session releases it at once.
                """)
    }
}
