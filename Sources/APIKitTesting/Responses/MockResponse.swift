import APIKit
import Foundation

/// A scripted response: an empty 200 unless told otherwise.
///
/// ```swift
/// .json(user, status: 201).header("Location", "/users/7").delayed(.seconds(2))
/// ```
public struct MockResponse: Sendable {
    /// What comes after the head, or in place of it.
    enum Content: Sendable {
        /// A body that is there from the start.
        case body(Data)
        /// A body that comes in chunks, in their own time.
        case stream(@Sendable () -> ByteStream)
        /// An error in place of a response.
        case failure(@Sendable (URL) -> any Error)
        /// Nothing ever.
        case never
        /// Whatever the real network answers.
        case passthrough
        /// A mistake in the script, which is a failure of the test.
        case broken(String)
    }

    var status = 200
    var content: Content = .body(Data())
    private(set) var headers: [String: String] = [:]
    private(set) var cookies: [String] = []
    private(set) var delay: Duration = .zero
    private(set) var bytesPerSecond: Int?
    private(set) var truncation: Int?

    /// Creates a response with status 200 and no body.
    public init() {}

    init(status: Int = 200, contentType: String? = nil, _ content: Content) {
        self.status = status
        self.content = content
        headers["Content-Type"] = contentType
        if case .body(let body) = content, !body.isEmpty {
            headers["Content-Length"] = "\(body.count)"
        }
    }

    /// What is wrong with the response, if anything.
    var problem: String? {
        if case .broken(let reason) = content { reason } else { nil }
    }

    /// Returns the response with a header.
    ///
    /// `Content-Type`, `Content-Length` and `Location` are replaced; any other name may be repeated.
    public func header(_ name: String, _ value: String) -> MockResponse {
        var response = self
        if name.lowercased() == "set-cookie" { response.cookies.append(value) }
        // Repeated headers are one entry in what the loading system hands out, joined like this.
        let single = ["Content-Type", "Content-Length", "Location"]
            .first { $0.lowercased() == name.lowercased() }
        let key = single ?? headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
        let others = single == nil ? headers[key] : nil
        response.headers[key] = others.map { "\($0), \(value)" } ?? value
        return response
    }

    /// Returns the response with a cookie for all of its host.
    ///
    /// The session stores it, and sends it with its next request. For attributes other than the
    /// path, write the header `Set-Cookie`.
    public func cookie(_ name: String, _ value: String) -> MockResponse {
        header("Set-Cookie", "\(name)=\(value); Path=/")
    }

    /// Returns the response delayed by a time on the clock of the server.
    public func delayed(_ delay: Duration) -> MockResponse {
        var response = self
        response.delay = (response.delay + delay.bounded).bounded
        return response
    }

    /// Returns the response with a body that arrives no faster than a rate, on the server's clock.
    ///
    /// It arrives in ten pieces a second, and a `ManualClock` that is advanced past several of them
    /// lets them all through.
    public func throttled(bytesPerSecond: Int) -> MockResponse {
        var response = self
        response.bytesPerSecond = max(1, bytesPerSecond)
        return response
    }

    /// Returns the response cut off after a number of bytes of its body.
    ///
    /// The error is `URLError.networkConnectionLost`, as when a connection breaks. A body that is no
    /// longer than that arrives whole.
    public func truncated(after count: Int) -> MockResponse {
        var response = self
        response.truncation = max(0, count)
        return response
    }
}
