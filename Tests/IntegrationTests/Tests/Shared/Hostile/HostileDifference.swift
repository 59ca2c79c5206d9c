/// A response that an HTTP library reads differently than a URL session, and the reason.
struct HostileDifference: Sendable {
    /// The libraries under the transports.
    enum Library {
        case urlSession, asyncHTTPClient
    }

    /// The name of the response.
    let response: String
    let outcome: HostileResponse.Outcome
    let reason: String

    private init(_ response: String, _ outcome: HostileResponse.Outcome, because reason: String) {
        self.response = response
        self.outcome = outcome
        self.reason = reason
    }

    /// Returns the difference of a response for the transport under test, or `nil`.
    static func find(_ response: String) -> HostileDifference? {
        all[TransportUnderTest.library]?.first { $0.response == response }
    }

    static let all: [Library: [HostileDifference]] = [
        .asyncHTTPClient: [
        ]
    ]
}
