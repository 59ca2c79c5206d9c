import Foundation

/// A scripted response: an empty 200 unless told otherwise.
///
/// ```swift
/// .json(user, status: 201).header("Location", "/users/7").delayed(.seconds(2))
/// ```
public struct MockResponse: Sendable {
    enum Outcome: Sendable {
        /// The response arrives, whole.
        case complete(Data)
        /// The error arrives in its place.
        case failure(@Sendable (URL) -> any Error)
        /// Nothing ever arrives.
        case never
        /// The response could not be scripted, for a reason that is a failure of the test.
        case broken(String)
    }

    var status = 200
    private(set) var headers: [String: String] = [:]
    var outcome: Outcome = .complete(Data())
    var delay: Duration = .zero

    /// Creates a response with status 200 and no body.
    public init() {}

    private init(status: Int = 200, contentType: String? = nil, _ outcome: Outcome) {
        self.status = status
        self.outcome = outcome
        headers["Content-Type"] = contentType
        if case .complete(let body) = outcome, !body.isEmpty {
            headers["Content-Length"] = "\(body.count)"
        }
    }

    /// A response with a status and no body.
    public static func status(_ status: Int) -> MockResponse {
        MockResponse(status: status, .complete(Data()))
    }

    /// A response whose body is a value encoded as JSON.
    ///
    /// A value that cannot be encoded is a failure of the test.
    public static func json(
        _ value: some Encodable,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        do {
            let body = try encoder.encode(value)
            return MockResponse(
                status: status, contentType: "application/json", .complete(body))
        } catch {
            return MockResponse(
                .broken("a \(type(of: value)) cannot be encoded as JSON: \(error)"))
        }
    }

    /// A response whose body is text in UTF-8: plain text unless a content type is given.
    public static func text(
        _ text: String,
        status: Int = 200,
        contentType: String = "text/plain; charset=utf-8"
    ) -> MockResponse {
        MockResponse(status: status, contentType: contentType, .complete(Data(text.utf8)))
    }

    /// A response whose body is bytes.
    public static func data(
        _ data: Data,
        status: Int = 200,
        contentType: String = "application/octet-stream"
    ) -> MockResponse {
        MockResponse(status: status, contentType: contentType, .complete(data))
    }

    /// No response but a `URLError` with the code and the URL of the request.
    public static func failure(_ code: URLError.Code) -> MockResponse {
        MockResponse(.failure { URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: $0]) })
    }

    /// No response but an error of your own.
    public static func failure(_ error: some Error) -> MockResponse {
        MockResponse(.failure { _ in error })
    }

    /// No response and no error: the request waits until it is cancelled.
    public static let never = MockResponse(.never)

    /// Returns the response with a header, in place of one that its body brought along.
    ///
    /// Any other name may be given more than once, as for `Set-Cookie`.
    public func header(_ name: String, _ value: String) -> MockResponse {
        var response = self
        // Repeated headers are one entry in what the loading system hands out, joined like this.
        let key = headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
        let isSingle = ["content-type", "content-length"].contains(key.lowercased())
        let others = isSingle ? nil : headers[key]
        response.headers[key] = others.map { "\($0), \(value)" } ?? value
        return response
    }

    /// Returns the response delayed by a time on the clock of the server.
    public func delayed(_ delay: Duration) -> MockResponse {
        var response = self
        response.delay += delay
        return response
    }
}
