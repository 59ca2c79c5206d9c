import Foundation

/// The representation that a request selects, for the account that sends it.
///
/// Two downloads with the same identity may continue each other. The identity consists of the URL,
/// the account and the header fields. It omits the values of credentials, so that a download
/// continues with a new token, and the fields that name a single attempt.
struct RepresentationIdentity {
    private let parts: [String]

    /// Whether a later call can have the same identity.
    ///
    /// Credentials without an account identify a user only as long as they stay the same, and have
    /// no place on a disk. So they are a part of the identity for the current call alone.
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
        // With its length before it, no part can be mistaken for two.
        SHA256.digest(
            of: parts.reduce(into: salt) { message, part in
                message += Data("\(part.utf8.count):\(part)".utf8)
            })
    }

    /// The header fields that name or time a single attempt, by their widespread names.
    private static let attemptHeaders: Set = [
        "date", "idempotency-key", "request-id", "x-request-id", "correlation-id",
        "x-correlation-id", "traceparent", "tracestate", "baggage", "x-amzn-trace-id",
        "x-cloud-trace-context", "sentry-trace", "b3", "x-b3-traceid", "x-b3-spanid",
        "x-b3-parentspanid", "x-b3-sampled", "x-b3-flags",
    ]
}
