import Foundation

/// What distinguishes the response to one request from the response to another.
///
/// Two requests with equal identities may share a response. Which parts count depends on how long the
/// response is kept.
struct RequestIdentity: Hashable, Sendable {
    /// What else selects or limits a response that is in flight.
    private struct Flight: Hashable {
        let method: HTTPMethod
        let fragment: String?
        let mainDocumentURL: URL?
        let transport: URLSessionTransport?
        let cachePolicy: UInt
        let timeout: TimeInterval
        let serviceType: UInt
        let networkFlags: [Bool]
        let maxBodyBytes: Int
    }

    /// The URL without its fragment, which is never sent.
    let url: String
    /// The account and the header fields, by their names in lower case, in the bytes that servers
    /// compare.
    ///
    /// `String` compares by canonical equivalence, so two spellings of `café` are equal.
    let fields: [String: [UInt8]]
    private let flight: Flight?

    /// Creates the identity for a response that is kept (RFC 9111, section 4.1), without the fields that
    /// differ in each attempt.
    ///
    /// Without credentials, each token of an account has the same identity.
    init(ofStored call: APICall, hasCredentials: Bool = true) {
        var fields = call.sentFields.filter { name, value in
            !URLRequest.attemptFields.contains(name)
                && (hasCredentials || !Redaction.hides(header: name, value))
        }
        // No header field can have this name: it contains a space.
        fields["the account"] = call.account
        self.init(call, fields, nil)
    }

    /// Creates the identity for a response that has not arrived.
    init(inFlight call: APICall) {
        let request = call.request
        self.init(
            call, call.sentFields,
            Flight(
                method: request.method, fragment: request.url?.fragment,
                mainDocumentURL: request.mainDocumentURL, transport: call.sessionTransport,
                cachePolicy: request.cachePolicy.rawValue, timeout: request.timeoutInterval,
                serviceType: request.networkServiceType.rawValue,
                networkFlags: request.networkFlags, maxBodyBytes: call.context.maxBodyBytes))
    }

    private init(_ call: APICall, _ fields: [String: String], _ flight: Flight?) {
        url = call.request.url?.withoutFragment ?? ""
        self.fields = fields.mapValues { Array($0.utf8) }
        self.flight = flight
    }
}
