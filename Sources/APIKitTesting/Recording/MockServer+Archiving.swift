import APIKit
import Foundation

extension MockServer {
    /// Returns all requests so far with the responses that they received, as an HTTP archive.
    ///
    /// ```swift
    /// Attachment.record(try server.har(), named: "traffic.har")
    /// ```
    ///
    /// An archive is a file in the format HAR 1.2, which the developer tools of browsers open. It
    /// shows what happened when a test failed: requests in order of arrival, each redirect as an
    /// entry, and unhandled requests with the text of their failure.
    ///
    /// Header fields that the system adds to a request, such as `Host` and `User-Agent`, are missing.
    /// A load without a response has the status 0, and a response that is not complete has the part
    /// of the body that was delivered. The field `_error` then contains the reason. A body
    /// has at most 16 MiB, unless a cassette records it. A redirect has no body.
    ///
    /// Placeholders such as `REDACTED0001` replace secrets as in a recording: equal secrets have the
    /// same placeholder.
    ///
    /// - Parameter redaction: The rule for the secrets that placeholders replace.
    /// - Returns: The file as UTF-8 JSON.
    /// - Throws: A ``TestFailure`` if a secret occurs at a place where it cannot be replaced. The
    ///   message names the place.
    public func har(redacting redaction: Redaction = .secrets) throws -> Data {
        var secrets = RecordedSecrets(after: [])
        let redacted = secrets.redact(state.withLock { $0.journal }, by: redaction)
        let file = HARFile(entries: redacted, placeholders: secrets.placeholders)
        let data = try file.data
        if let leak = secrets.leak(in: file, data: data) {
            throw TestFailure(
                "The archive of the requests would contain a secret. \(leak)", at: nil)
        }
        return data
    }
}
