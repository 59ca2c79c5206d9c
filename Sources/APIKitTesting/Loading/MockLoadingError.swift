import APIKit
import Foundation

/// The error for a request that nobody could answer, whatever its routes.
struct MockLoadingError: Error, CustomStringConvertible, LocalizedError, CustomNSError {
    let description: String

    var errorDescription: String? { description }
    // On Apple platforms the loading system hands errors on as `NSError`; the text survives so.
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// A session whose server has been released made a request.
    static func serverIsGone(_ url: URL) -> MockLoadingError {
        MockLoadingError(
            description: """
                \(Redaction.text(of: url)) was requested by a session whose MockServer is gone. \
                Keep the server, in a property of the test say, for as long as its sessions are \
                used.
                """)
    }

    /// The classic form has no handler for a request.
    static func noHandler(for url: URL) -> MockLoadingError {
        MockLoadingError(
            description: """
                \(Redaction.text(of: url)) was requested, but MockURLProtocol.requestHandler is \
                nil. Set it before the request is made.
                """)
    }

    /// The loading system cannot let a protocol answer a download task.
    static let downloadTask = MockLoadingError(
        description: """
            On Linux a download task cannot be answered by a MockServer: the system does not \
            support it. Load the data with a data task, or test the download on an Apple platform.
            """)
}
