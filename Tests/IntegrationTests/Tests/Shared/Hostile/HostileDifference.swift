import Foundation

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

    #if canImport(FoundationNetworking)
    private static let apple: [HostileDifference] = []
    #else
    // The outcomes of the classic loader. The last follows from the first, and is not measured.
    private static let apple = ["no last chunk", "half a chunk size"].map {
        HostileDifference(
            $0, .hello,
            because: "Between two chunks, the end of the connection ends the body (FB24495140).")
    }
    #endif

    static let all: [Library: [HostileDifference]] = [
        .urlSession: apple,
        .asyncHTTPClient: [
            .init("a length twice", .malformed, because: "NIO may refuse it (RFC 9112, 6.3)."),
            .init("a list of lengths", .malformed, because: "NIO may refuse it (RFC 9112, 6.3)."),
            .init("two lengths", .malformed, because: "NIO must refuse them (RFC 9112, 6.3)."),
            .init("a length of 20 digits", .malformed, because: "The number overflows."),
            .init(
                "chunks and a length", .malformed,
                because: "They may be an attack, so NIO refuses them (RFC 9112, 6.3)."),
            .init(
                "an unknown transfer encoding", .hello,
                because: "The body ends with the connection (RFC 9112, 6.3)."),
            .init(
                "no space before the reason", .hello,
                because: "NIO accepts a status line without the space (RFC 9112, 4)."),
            .init(
                "a folded line", .malformed,
                because: "A client may refuse an obsolete syntax (RFC 9112, 5.2)."),
            .init(
                "a field that is not UTF-8", .hello,
                because: "Fields may contain other bytes (RFC 9110, 5.5)."),
            .init("a field of 100 KB", .malformed, because: "NIO limits a field to 80 KB."),
            .init("2,500 fields", .malformed, because: "NIO limits a head to 256 fields."),
            .init("1,000 cookies", .malformed, because: "NIO limits a head to 256 fields."),
            .init("half a gzip", .unreadable, because: "The decoder expects the end of the data."),
            .init(
                "deflate without a zlib header", .unreadable,
                because: "The coding requires the header (RFC 9110, 8.4.1.2)."),
            .init("a bomb of 64 MiB", .unreadable, because: "NIO decodes only one coding."),
            .init(
                "an unknown encoding", .hello,
                because: "The caller can decode the body (RFC 9110, 8.4)."),
            .init(
                "a redirect with half a body", .failed(.httpTooManyRedirects),
                because: "The transport does not read the body of a redirect to the same URL."),
            .init(
                "a status line without end", .overdue,
                because: "NIO limits no status line, so the timeout of the request ends it."),
        ],
    ]
}
