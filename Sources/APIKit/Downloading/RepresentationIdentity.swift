import Foundation

/// The representation that a request selects, for the account that sends it.
///
/// A download can continue another one with the same identity. The identity consists of the URL,
/// the account and the header fields. It omits the fields that identify a single attempt. If the
/// account is known, it also omits the values of credentials, so that a download continues with a
/// new token.
struct RepresentationIdentity {
    private let parts: [String]

    /// Whether a later call can have the same identity.
    ///
    /// Credentials without an account identify a user only until they change, and must not be stored.
    /// They are a part of the identity only within a call.
    let outlivesCall: Bool

    /// Creates the identity of a call as the transport receives it, if it can be resumed.
    init?(of call: APICall) {
        let (request, sentFields) = (call.request, call.sentFields)
        guard request.method == .get, let url = request.url,
            request.httpBody == nil, request.httpBodyStream == nil, sentFields["range"] == nil
        else { return nil }
        var fields: [String] = []
        var credentials: [String] = []
        for (name, value) in sentFields {
            if Redaction.hidesHeader(name) {
                credentials.append("\(name): \(value)")
            } else if !Self.attemptHeaders.contains(name) {
                fields.append("\(name): \(value)")
            }
        }
        let isAnonymous = credentials.isEmpty && !call.mayAddUnknownFields
        outlivesCall = call.account != nil || isAnonymous
        parts =
            [url.absoluteString, call.account.map { "account: \($0)" } ?? ""] + fields.sorted()
            + (outlivesCall ? [] : credentials.sorted())
    }

    /// Returns the salted hash of the identity.
    func digest(salt: Data) -> Data {
        // The length before each part distinguishes two parts from one longer part.
        SHA256.digest(
            of: parts.reduce(into: salt) { message, part in
                message += Data("\(part.utf8.count):\(part)".utf8)
            })
    }

    /// The common header fields that identify or date a single attempt.
    private static let attemptHeaders: Set = [
        "date", "idempotency-key", "request-id", "x-request-id", "correlation-id",
        "x-correlation-id", "traceparent", "tracestate", "baggage", "x-amzn-trace-id",
        "x-cloud-trace-context", "sentry-trace", "b3", "x-b3-traceid", "x-b3-spanid",
        "x-b3-parentspanid", "x-b3-sampled", "x-b3-flags",
    ]
}
