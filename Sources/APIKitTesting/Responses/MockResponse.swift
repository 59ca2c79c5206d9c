import APIKit
import Foundation

/// A scripted response.
///
/// ```swift
/// .json(user, status: 201).header("Location", "/users/7").delayed(.seconds(2))
/// ```
public struct MockResponse: Sendable {
    /// The content of a response, or the event that replaces the response.
    enum Content: Sendable {
        case body(Data)
        /// A body that arrives in chunks over time.
        case stream(wasRead: Locked<Bool> = Locked(false), @Sendable () -> ByteStream)
        /// An error in place of a response.
        case failure(@Sendable (URL) -> any Error)
        /// Neither a response nor an error.
        case never
        /// A body of which the conditions and the range of the request select a part, or none.
        case resource(Data)
        /// The response of the real network.
        case passthrough
        /// A script with a mistake, which fails the test.
        case invalid(String)
    }

    var status: Int
    var content: Content
    /// The response head from the real network.
    var receivedHead: HTTPURLResponse?
    var headers: [String: String] = [:]
    /// Whether the body is decoded, even if the header fields give a content coding.
    var isDecoded = false
    private(set) var cookies: [String] = []
    private(set) var delay: Duration = .zero
    private(set) var bytesPerSecond: Int?
    private(set) var uploadBytesPerSecond: Int?
    private(set) var truncation: Int?

    init(status: Int = 200, contentType: String? = nil, _ content: Content) {
        self.status = status
        self.content = content
        headers["Content-Type"] = contentType
        // RFC 9110, section 8.6: a 204 has no length.
        if case .body(let body) = content, !body.isEmpty, status != 204 {
            headers["Content-Length"] = "\(body.count)"
        }
        if !(200...999).contains(status) {
            fail(
                "\(status) is not the status of a final response. Use a number from 200 through 999"
            )
        } else if let contentType {
            fail(MockResponse.problem(inField: "Content-Type", contentType))
        }
    }

    /// Makes the response fail the test, if there is a problem and no earlier one.
    private mutating func fail(_ problem: String?) {
        if let problem, self.problem == nil { content = .invalid(problem) }
    }

    /// The mistake in the script, if there is one.
    var problem: String? {
        if case .invalid(let problem) = content { problem } else { nil }
    }

    /// The mistake in the response of a closure.
    var problemOfResponder: String? {
        problem
            ?? uploadBytesPerSecond.map { _ in
                """
                a response closure runs after the upload, so its response has no upload rate. Use \
                on(_:reply:)
                """
            }
    }

    private static func problem(inField name: String, _ value: String) -> String? {
        if let problem = name.problemAsHeaderName { return problem }
        guard !value.isReceivedFieldValue else { return nil }
        return "the value of the header field \(name) contains a line break or NUL. Remove it"
    }

    /// Returns the response with a header field.
    ///
    /// An invalid name, and a value with a line break or NUL, fail the test.
    ///
    /// `Content-Type`, `Content-Length`, `Location`, `ETag`, `Last-Modified` and `Accept-Ranges` replace
    /// an earlier value. Any other value is appended to the earlier values of its name.
    public func header(_ name: String, _ value: String) -> MockResponse {
        var response = self
        if name.lowercased() == "set-cookie" { response.cookies.append(value) }
        // The loading system joins repeated header fields into one in the same way.
        let singles = [
            "Content-Type", "Content-Length", "Location", "ETag", "Last-Modified", "Accept-Ranges",
        ]
        let single = singles.first { $0.lowercased() == name.lowercased() }
        let key = single ?? headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
        let others = single == nil ? headers[key] : nil
        response.headers[key] = others.map { "\($0), \(value)" } ?? value
        response.fail(MockResponse.problem(inField: name, value))
        if case .resource = content { response.fail(MockResponse.problem(ofValidator: key, value)) }
        return response
    }

    /// Returns the response with a cookie for every path of its host.
    ///
    /// A name that is not a token (RFC 6265, section 4.1.1) and a value with a semicolon fail the test.
    /// The session stores the cookie and sends it with its next request. For attributes other than
    /// the path, set the header field `Set-Cookie`.
    public func cookie(_ name: String, _ value: String) -> MockResponse {
        var response = header("Set-Cookie", "\(name)=\(value); Path=/")
        if !HTTPToken.isValid(name) {
            response.fail(
                "\(name.debugDescription) is not a valid cookie name. Use a token, such as session_id"
            )
        } else if value.contains(";") {
            response.fail(
                """
                the value of the cookie \(name) contains a semicolon. Encode the value, or set \
                attributes with the header field Set-Cookie
                """)
        }
        return response
    }

    /// Returns the response with a further delay, on the server's clock.
    ///
    /// A negative delay shortens the earlier delays.
    public func delayed(_ delay: Duration) -> MockResponse {
        with { $0.delay = ($0.delay + delay.bounded).bounded }
    }

    /// Returns the response with a body that arrives at a limited rate, on the server's clock.
    ///
    /// The body arrives in at least ten pieces a second, or in pieces of one byte below 20 bytes a second. If
    /// a `ManualClock` advances past several pieces, all of them arrive. A rate below one byte a
    /// second counts as one.
    public func throttled(bytesPerSecond: Int) -> MockResponse {
        with { $0.bytesPerSecond = max(1, bytesPerSecond) }
    }

    /// Returns the response to a request whose body is sent at a limited rate, on the server's clock.
    ///
    /// The session sends the body in pieces as ``throttled(bytesPerSecond:)`` does, and reports each
    /// piece as progress. The delay and the response follow.
    ///
    /// The server receives the request before the first piece. A response closure receives the whole
    /// body, so an upload rate in its response fails the test.
    public func throttled(uploadBytesPerSecond: Int) -> MockResponse {
        with { $0.uploadBytesPerSecond = max(1, uploadBytesPerSecond) }
    }

    /// Returns the response with a connection that breaks after a number of bytes of the body.
    ///
    /// The load then fails with `URLError.networkConnectionLost`. A body of at most that length
    /// arrives whole. A negative number counts as zero.
    public func truncated(after count: Int) -> MockResponse {
        with { $0.truncation = max(0, count) }
    }

    /// Returns the response with a change.
    private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var response = self
        change(&response)
        return response
    }
}
