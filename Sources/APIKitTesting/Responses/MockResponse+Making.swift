import APIKit
import Foundation

extension MockResponse {
    /// A response with a status and no body.
    public static func status(_ status: Int) -> MockResponse {
        MockResponse(status: status, .body(Data()))
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
            return MockResponse(status: status, contentType: "application/json", .body(body))
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

    /// A response whose body is a file of a bundle, with the content type of its extension.
    ///
    /// A file that is not there is a failure of the test.
    ///
    /// - Parameters:
    ///   - path: The name of the file, with the folders that it is in.
    ///   - bundle: The bundle, `.module` for the resources of a test target.
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
            return MockResponse(
                .broken(
                    """
                    there is no file \(path) in the bundle \(bundle.bundleURL.lastPathComponent). \
                    List it as a resource of the target in Package.swift
                    """))
        }
    }

    /// A redirect, by 302 unless another status is given.
    ///
    /// The session follows it by the rules of HTTP, through the routes of the server.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        .status(status).header("Location", location)
    }

    /// A response whose body arrives in the chunks of a sequence, as they come.
    ///
    /// A delegate receives each chunk as it comes, a completion handler receives all of them at the
    /// end. On Apple platforms the system may join chunks. An error of the sequence ends the load.
    ///
    /// The response has the header `X-Content-Type-Options: nosniff`, unless you set another value:
    /// without it, Apple platforms may hold back the first 512 bytes.
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
            .stream { ByteStream(Replay(elements: chunks)) })
    }

    /// A response of server-sent events, each of which arrives as a chunk.
    ///
    /// Data has no line endings but line feeds on the way, so CR and CRLF arrive as one.
    public static func events(_ events: [ServerSentEvent]) -> MockResponse {
        .stream(events.map { Data($0.text.utf8) }, contentType: "text/event-stream")
    }

    /// No response but a `URLError` with the code and the URL of the request.
    public static func failure(_ code: URLError.Code) -> MockResponse {
        MockResponse(.failure { URLError(code, failing: $0) })
    }

    /// No response but an error of your own.
    public static func failure(_ error: some Error) -> MockResponse {
        MockResponse(.failure { _ in error })
    }

    /// No response and no error: the request waits until it times out or is cancelled.
    public static let never = MockResponse(.never)

    /// The response of the real network.
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
    /// The event as it is sent.
    fileprivate var text: String {
        var lines: [String] = []
        if type != "message" { lines.append("event: \(type)") }
        if let id { lines.append("id: \(id)") }
        if let retry {
            // A server has no way to write a negative time, or one of more digits than fit.
            let limit = Duration.milliseconds(Int64.max)
            let (seconds, attoseconds) = max(.zero, min(retry, limit)).components
            lines.append("retry: \(seconds * 1000 + attoseconds / 1_000_000_000_000_000)")
        }
        lines += data.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
            .map { "data: \($0)" }
        return lines.map { $0 + "\n" }.joined() + "\n"
    }
}
