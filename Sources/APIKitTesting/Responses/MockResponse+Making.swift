import APIKit
import Foundation

extension MockResponse {
    /// A response with a status and no body.
    ///
    /// A status outside of 200 through 999 fails the test. A status line (RFC 9112, section 4) has three
    /// digits, and another response follows an interim response (RFC 9110, section 15.2).
    public static func status(_ status: Int) -> MockResponse {
        MockResponse(status: status, .body(Data()))
    }

    /// A response whose body is text in UTF-8.
    public static func text(
        _ text: String,
        status: Int = 200,
        contentType: String = "text/plain; charset=utf-8"
    ) -> MockResponse {
        MockResponse(status: status, contentType: contentType, .body(Data(text.utf8)))
    }

    /// A response whose body is bytes.
    public static func data(
        _ data: Data,
        status: Int = 200,
        contentType: String = "application/octet-stream"
    ) -> MockResponse {
        MockResponse(status: status, contentType: contentType, .body(data))
    }

    /// A response whose body is a file of a bundle, with the content type of the file's extension.
    ///
    /// A missing file fails the test.
    ///
    /// - Parameters:
    ///   - path: The path of the file in the bundle.
    ///   - bundle: The bundle: `.module` for the resources of a test target.
    ///   - status: The status.
    /// - Returns: The response.
    public static func fixture(
        _ path: String, in bundle: Bundle, status: Int = 200
    ) -> MockResponse {
        let file =
            bundle.url(forResource: path, withExtension: nil)
            ?? bundle.bundleURL.appending(path: path)
        do {
            return .data(
                try Data(contentsOf: file), status: status,
                contentType: contentType(ofExtension: file.pathExtension))
        } catch {
            let problem = """
                the file \(path) is not in the bundle "\(bundle.bundleURL.lastPathComponent)". List it \
                as a resource of the target in Package.swift
                """
            return MockResponse(.invalid(problem))
        }
    }

    /// A redirect.
    ///
    /// The session follows it to a route of the same server, as in RFC 9110, section 15.4.
    /// If the location is not an http or https URL, the redirect is the response. A status outside of
    /// 300 through 399 fails the test.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        guard (300..<400).contains(status) else {
            let problem = "\(status) is not the status of a redirect. Use 301, 302, 303, 307 or 308"
            return MockResponse(.invalid(problem))
        }
        return .status(status).header("Location", location)
    }

    /// A response whose body arrives in the chunks of a sequence.
    ///
    /// A delegate receives each chunk when the sequence makes it. A completion handler receives all
    /// of them at the end. On Apple platforms the system may join chunks. An error of the sequence
    /// ends the load. A sequence that only one request can read, such as an `AsyncStream`, fails the test
    /// at the next request: make it in a response closure.
    ///
    /// The response has the header field `X-Content-Type-Options: nosniff`, unless you set another
    /// value. Without it, Apple platforms may hold back the first 512 bytes.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        status: Int = 200,
        contentType: String = "application/octet-stream"
    ) -> MockResponse where Chunks.Element == Data {
        MockResponse(
            status: status, contentType: contentType,
            .stream { ByteStream(chunks) })
    }

    /// A response whose body arrives in chunks.
    public static func stream(
        _ chunks: [Data],
        status: Int = 200,
        contentType: String = "application/octet-stream"
    ) -> MockResponse {
        MockResponse(
            status: status, contentType: contentType,
            .stream {
                ByteStream(
                    AsyncStream { continuation in
                        for chunk in chunks { continuation.yield(chunk) }
                        continuation.finish()
                    })
            })
    }

    /// A response of server-sent events, each in a chunk of its `encoded` text.
    public static func events(_ events: [ServerSentEvent]) -> MockResponse {
        .stream(events.map { Data($0.encoded.utf8) }, contentType: "text/event-stream")
    }

    /// A `URLError` with the URL of the request, in place of a response.
    public static func failure(_ code: URLError.Code) -> MockResponse {
        MockResponse(.failure { URLError(code, failing: $0) })
    }

    /// Any error, in place of a response.
    public static func failure(_ error: some Error) -> MockResponse {
        MockResponse(.failure { _ in error })
    }

    /// Neither a response nor an error, until the request times out or is canceled.
    public static let never = MockResponse(.never)

    /// The response of the real network.
    ///
    /// The configuration of the session applies: its cookies, timeouts and network flags. The session
    /// stores the cookies that the real server sets. A ``MockServer`` that is itself the transport has
    /// no configuration, so it neither sends nor stores cookies.
    ///
    /// The delegates of the task and of the session decide about redirects. A redirect then goes to a
    /// route that matches, or else to the network. Authentication challenges do not reach the
    /// delegates. On Apple platforms, the system takes credentials from the storage of the
    /// configuration. Without credentials, the 401 is the response.
    ///
    /// The progress of an upload is simulated, and ends before the request goes to the network. A
    /// delegate receives each chunk of the response as it arrives. The timeouts apply in real time, and
    /// also on the server's clock. A delay, a limited rate and truncation apply to this response. Header
    /// fields and cookies that you add to it have no effect.
    public static let passthrough = MockResponse(.passthrough)

    private static func contentType(ofExtension name: String) -> String {
        switch name.lowercased() {
        case "json": "application/json"
        case "txt": "text/plain; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "csv": "text/csv; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "xml": "application/xml"
        case "pdf": "application/pdf"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}

extension ServerSentEvent {
    /// Returns an event whose data is a value encoded as JSON, for ``MockResponse/events(_:)``.
    public static func json(
        _ value: some Encodable, type: String = "message", encoder: JSONEncoder = JSONEncoder()
    ) throws -> ServerSentEvent {
        ServerSentEvent(
            data: String(decoding: try encoder.encode(value), as: UTF8.self), type: type)
    }
}
