import APIKit
import Foundation

/// The error for a request by a session whose server has been released.
struct MockServerIsGone: Error, CustomStringConvertible, LocalizedError, CustomNSError {
    let url: URL

    var description: String {
        """
        \(Redaction.text(of: url)) was requested by a session whose MockServer is gone. Keep the \
        server, in a property of the test say, for as long as its sessions are used.
        """
    }

    var errorDescription: String? { description }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// The error for a request by the classic form without a handler.
struct MissingRequestHandler: Error, CustomStringConvertible, LocalizedError, CustomNSError {
    let url: URL

    var description: String {
        """
        \(Redaction.text(of: url)) was requested, but MockURLProtocol.requestHandler is nil. Set it \
        before the request is made.
        """
    }

    var errorDescription: String? { description }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// The error for a task that the loading system cannot let a protocol answer.
struct UnsupportedMockTask: Error, CustomStringConvertible, LocalizedError {
    let description: String
    var errorDescription: String? { description }
}
