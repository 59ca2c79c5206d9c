import Foundation

/// A request and its response, as an entry of a HAR file.
///
/// Bodies are bytes without content coding. How the file spells them is the work of ``HARFile``.
struct HAREntry: Sendable, Equatable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    struct Request: Sendable, Equatable {
        var method: String
        var url: String
        var headers: [Field] = []
        var body = Data()
    }

    struct Response: Sendable, Equatable {
        /// The status, or 0 if there was no response.
        var status: Int
        var headers: [Field] = []
        var body = Data()
        /// The reason why the response is not complete, which browsers write as `_error`.
        var error: String?
    }

    /// The time of the request.
    var startedAt: Date
    var request: Request
    var response: Response
    /// The time until the response head, or zero if it is not recorded.
    var wait: Duration = .zero

    /// Whether the header fields describe content that the response does not contain.
    ///
    /// `Content-Length` is then that of another response (RFC 9110, section 8.6).
    var omitsContent: Bool { request.method.uppercased() == "HEAD" || response.status == 304 }
}
