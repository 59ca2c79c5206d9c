import APIKit
import Foundation
import Testing

/// The bytes of a malformed or malicious response, and the expected outcome of a call.
struct HostileResponse: Sendable, CustomTestStringConvertible {
    /// What the server does after it has sent the bytes.
    enum Ending: Sendable {
        /// Closes the connection.
        case close
        /// Resets the connection.
        case reset
        /// Waits for the next request.
        case wait
        /// Repeats a text until the client closes the connection.
        case forever(String)
    }

    /// How a call ends.
    enum Outcome: Equatable, Sendable {
        /// A response with a status, and with the text of its body or the length of a long body.
        case body(Int, String)
        /// An `APIError` of kind `status`.
        case refused(Int)
        /// An `APIError` of kind `transport` with a code.
        case failed(URLError.Code)
        /// An `APIError` of kind `transport` with a code for an invalid body.
        case unreadable
        /// An `APIError` of kind `transport` with a code for an invalid or too long head.
        case malformed
        /// An `APIError` of kind `deadline`.
        case overdue
        /// Another outcome.
        case other(String)

        /// Returns whether an outcome equals this one, or has an error code that this one allows.
        func includes(_ outcome: Outcome) -> Bool {
            guard case .failed(let code) = outcome else { return self == outcome }
            switch self {
            case .unreadable: return Self.decodingCodes.contains(code)
            case .malformed:
                return Self.decodingCodes.contains(code) || code == .unknown
            default: return self == outcome
            }
        }

        private static let decodingCodes: Set<URLError.Code> = [
            .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData,
            .cannotParseResponse,
        ]

        static let hello = body(200, "hello")
        static let lost = failed(.networkConnectionLost)
    }

    let name: String
    let bytes: Data
    let ending: Ending
    let method: String
    let load: Outcome
    let stream: Outcome
    let download: Outcome

    /// Creates a response.
    ///
    /// By default, a stream and a download have the outcome of a load.
    init(
        _ name: String, _ bytes: Data, then ending: Ending = .close, method: String = "GET",
        _ load: Outcome, stream: Outcome? = nil, download: Outcome? = nil
    ) {
        self.name = name
        self.bytes = bytes
        self.ending = ending
        self.method = method
        self.load = load
        self.stream = stream ?? load
        self.download = download ?? load
    }

    /// Creates a response from the lines of its head and a body.
    init(
        _ name: String, _ head: [String], _ body: String = "", then ending: Ending = .close,
        method: String = "GET", _ load: Outcome, stream: Outcome? = nil, download: Outcome? = nil
    ) {
        let text = (head + ["", body]).joined(separator: "\r\n")
        self.init(
            name, Data(text.utf8), then: ending, method: method, load, stream: stream,
            download: download)
    }

    var testDescription: String { name }

    /// The expected outcome of a call over the transport under test.
    func outcome(of way: Way) -> Outcome {
        if let difference = HostileDifference.find(name) { return difference.outcome }
        return switch way {
        case .load: load
        case .stream: stream
        case .download: download
        }
    }

    /// The ways to send a request.
    enum Way: CaseIterable {
        case load, stream, download
    }

    /// Sends the response to each request of a connection.
    func serve(_ connection: LoopbackConnection) throws {
        while true {
            _ = try connection.head()
            connection.write(bytes)
            switch ending {
            case .close: return
            case .reset: return connection.resetWhenClosed()
            case .wait: break
            case .forever(let text):
                // Limits the rate, because a load buffers the whole body until its deadline.
                while connection.write(text) { usleep(2_000) }
                return
            }
        }
    }
}

extension HostileResponse.Way {
    /// Sends a request, and returns the outcome.
    func send(
        _ request: URLRequest, by client: APIClient, in directory: TemporaryDirectory
    ) async -> HostileResponse.Outcome {
        do {
            switch self {
            case .load:
                let response = try await client.response(to: DataRequest(), with: request)
                return .body(response.statusCode, text(of: response.value))
            case .stream:
                let response = try await client.stream(DataRequest(), with: request)
                return .body(response.statusCode, text(of: try await response.value.data()))
            case .download:
                let file = directory.url.appending(path: "file")
                let response = try await client.download(DataRequest(), with: request, to: file)
                // A response to HEAD has no content, so the client creates no file.
                let isWritten = try directory.names.contains("file")
                let content = isWritten ? try Data(contentsOf: file) : Data()
                return .body(response.statusCode, text(of: content))
            }
        } catch let error as APIError {
            switch error.kind {
            case .status(let status): return .refused(status)
            case .deadline: return .overdue
            case .transport:
                guard let code = error.urlError?.code else { break }
                return .failed(code)
            default: break
            }
            return .other("\(error)")
        } catch {
            return .other("\(error)")
        }
    }

    private func text(of data: Data) -> String {
        data.count <= 100 ? String(decoding: data, as: UTF8.self) : "\(data.count) bytes"
    }
}

extension HostileResponse {
    /// The responses, for a URL session without those that crash the system's URL session.
    static let all =
        partial + lengths + chunks + heads + interim + statuses + encodings + redirects + endless
        + (TransportUnderTest.library == .urlSession ? [] : crashing)

    /// The responses that crash the system's URL session on Linux.
    private static let crashing: [Self] = [
        .init("a trailer", [ok, chunked], "5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n", .hello),
        .init("half a head", Data("HTTP/1.1 200 OK\r\n".utf8), .lost),
        .init("a length of 2^63 - 2", [ok, length(.max - 1)], "hello", .lost),
        .init("a length of 2^63 - 1", [ok, length(.max)], "hello", .lost),
    ]

    // Without a type, CFNetwork holds back the head until it has 512 bytes to guess the type from.
    private static let ok =
        "HTTP/1.1 200 OK\r\nContent-Type: image/x-dog\r\nX-Content-Type-Options: nosniff"
    private static let chunked = "Transfer-Encoding: chunked"
    private static func length(_ count: Int) -> String { "Content-Length: \(count)" }

    /// Incomplete responses besides those of `ExchangeTests.Breakage`.
    private static let partial: [Self] = [
        .init("a body that ends with a reset", [ok], "hello", then: .reset, .lost),
        .init("half a chunk", [ok, chunked], "9\r\nhello", .lost),
        .init("no last chunk", [ok, chunked], "5\r\nhello\r\n", .lost),
        .init("half a chunk size", [ok, chunked], "5\r\nhello\r\n0", .lost),
        .init("half a 500 body", ["HTTP/1.1 500 No", length(10)], "hello", .lost),
        .init("a body that ends with the connection", [ok], "hello", .hello),
    ]

    /// Invalid lengths, and lengths that differ from the length of the body.
    private static let lengths: [Self] = [
        .init("a body longer than its length", [ok, length(5)], "hello world", .hello),
        .init(
            "two responses to one request", [ok, length(5)],
            "helloHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", then: .wait, .hello),
        .init("a length of zero and a body", [ok, length(0)], "hello", .body(200, "")),
        .init("a negative length", [ok, "Content-Length: -5"], "hello", .malformed),
        .init("a length of letters", [ok, "Content-Length: five"], "hello", .malformed),
        .init("an empty length", [ok, "Content-Length:"], "hello", .malformed),
        .init("a length twice", [ok, length(5), length(5)], "hello", .hello),
        .init("two lengths", [ok, length(5), length(50)], "hello", .lost),
        .init("a list of lengths", [ok, "Content-Length: 5, 5"], "hello", .hello),
        .init("a length of 2^62", [ok, length(1 << 62)], "hello", .lost),
        .init(
            "a length of 20 digits", [ok, "Content-Length: 99999999999999999999"], "hello",
            .hello),
    ]

    /// Chunked bodies.
    private static let chunks: [Self] = [
        .init("chunks", [ok, chunked], "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", .hello),
        .init("chunk extensions", [ok, chunked], "5;a=b;c\r\nhello\r\n0;d\r\n\r\n", .hello),
        .init("chunks and a length", [ok, chunked, length(99)], "5\r\nhello\r\n0\r\n\r\n", .hello),
        .init("a chunk size of letters", [ok, chunked], "zz\r\nhello\r\n0\r\n\r\n", .unreadable),
        .init("a negative chunk size", [ok, chunked], "-5\r\nhello\r\n0\r\n\r\n", .unreadable),
        .init("no chunk size", [ok, chunked], "\r\nhello\r\n0\r\n\r\n", .unreadable),
        .init(
            "a huge chunk size", [ok, chunked], "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
            .unreadable),
        .init(
            "a chunk longer than its size", [ok, chunked], "2\r\nhello\r\n0\r\n\r\n",
            .unreadable),
        .init("a body without chunks", [ok, chunked], "hello", .unreadable),
        .init(
            "an unknown transfer encoding", [ok, "Transfer-Encoding: woof"], "hello", .unreadable),
    ]

    /// Malformed and unusual heads.
    private static let heads: [Self] = [
        .init("text that is not HTTP", Data("woof".utf8), .malformed),
        .init(
            "200 KB of text", Data(String(repeating: "woof", count: 50_000).utf8), .malformed),
        .init(
            "line feeds alone", Data("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello".utf8), .malformed
        ),
        .init("HTTP/1.0", ["HTTP/1.0 200 OK"], "hello", .hello),
        .init("a status line of HTTP/2", ["HTTP/2 200", length(5)], "hello", .malformed),
        .init("a status line of HTTP/3.7", ["HTTP/3.7 200 OK", length(5)], "hello", .malformed),
        .init("a status line of ICY", ["ICY 200 OK", length(5)], "hello", .malformed),
        .init("no space before the reason", ["HTTP/1.1 200", length(5)], "hello", .malformed),
        .init("an empty reason", ["HTTP/1.1 200 ", length(5)], "hello", .hello),
        .init("a status of two digits", ["HTTP/1.1 20 OK", length(5)], "hello", .malformed),
        .init("a status of four digits", ["HTTP/1.1 2000 OK", length(5)], "hello", .malformed),
        .init("a status of letters", ["HTTP/1.1 abc OK", length(5)], "hello", .malformed),
        .init("a line without a colon", [ok, "woof", length(5)], "hello", .malformed),
        .init("a field without a name", [ok, ": woof", length(5)], "hello", .malformed),
        .init("a space before the colon", [ok, "X-A : b", length(5)], "hello", .malformed),
        .init("a folded line", [ok, "X-A: b", " c", length(5)], "hello", .hello),
        .init("a NUL in a field", [ok, "X-A: a\0b", length(5)], "hello", .malformed),
        .init(
            "a field that is not UTF-8",
            Data("\(ok)\r\nX-A: ".utf8) + [0xFF, 0xC3, 0x28]
                + Data("\r\nContent-Length: 5\r\n\r\nhello".utf8), .malformed),
        .init(
            "a field of 100 KB", [ok, "X-A: \(String(repeating: "a", count: 99_000))", length(5)],
            "hello", .hello),
        .init(
            "a field of 1 MB", [ok, "X-A: \(String(repeating: "a", count: 1 << 20))", length(5)],
            "hello", .malformed),
        .init(
            "2,500 fields", [ok, length(5)] + (0..<2_500).map { "X-\($0): a" }, "hello", .hello),
        .init(
            "1,000 cookies",
            [ok, length(5)] + (0..<1_000).map { "Set-Cookie: c\($0)=1; Domain=evil.example" },
            "hello", .hello),
    ]

    /// Interim responses.
    private static let interim: [Self] = [
        .init("100 before 200", ["HTTP/1.1 100 Continue", "", ok, length(5)], "hello", .hello),
        .init(
            "103 before 200",
            ["HTTP/1.1 103 Early Hints", "Link: </a>; rel=preload", "", ok, length(5)], "hello",
            .hello),
        .init(
            "50 of 102 before 200",
            (0..<50).flatMap { _ in ["HTTP/1.1 102 Processing", ""] } + [ok, length(5)], "hello",
            .hello),
    ]

    /// Unusual statuses.
    private static let statuses: [Self] = [
        .init("204 with a body", ["HTTP/1.1 204 No Content", length(5)], "hello", .body(204, "")),
        .init("204", ["HTTP/1.1 204 No Content"], then: .wait, .body(204, "")),
        .init(
            "205 with a body", ["HTTP/1.1 205 Reset Content", length(5)], "hello",
            .body(205, "hello")),
        .init("304 with a body", ["HTTP/1.1 304 Not Modified", length(5)], "hello", .refused(304)),
        .init(
            "206 without a range request",
            ["HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-4/10", length(5)], "hello",
            .body(206, "hello"), download: .unreadable),
        .init(
            "416 without a range request",
            ["HTTP/1.1 416 No", "Content-Range: bytes */10", length(0)], "", .refused(416)),
        .init(
            "401 for Basic", ["HTTP/1.1 401 No", "WWW-Authenticate: Basic realm=\"a\"", length(5)],
            "hello", then: .wait, .refused(401)),
        .init(
            "401 for Digest",
            ["HTTP/1.1 401 No", "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\"", length(5)],
            "hello", then: .wait, .refused(401)),
        .init(
            "401 alone", ["HTTP/1.1 401 No", length(5)], "hello", then: .wait, .refused(401)),
        .init(
            "407 without a proxy",
            ["HTTP/1.1 407 No", "Proxy-Authenticate: Basic realm=\"a\"", length(5)], "hello",
            then: .wait, .refused(407)),
        .init("status 299", ["HTTP/1.1 299 Odd", length(5)], "hello", .body(299, "hello")),
        .init("status 600", ["HTTP/1.1 600 Odd", length(5)], "hello", .refused(600)),
        .init("status 999", ["HTTP/1.1 999 Odd", length(5)], "hello", .refused(999)),
        .init("HEAD with a body", [ok, length(5)], "hello", method: "HEAD", .body(200, "")),
        .init(
            "HEAD with a length", [ok, length(1_000)], then: .wait, method: "HEAD", .body(200, "")),
    ]

    private static func encoded(_ encoding: String, base64: String) -> Data {
        let body = Data(base64Encoded: base64) ?? Data()
        return Data("\(ok)\r\nContent-Encoding: \(encoding)\r\n\(length(body.count))\r\n\r\n".utf8)
            + body
    }

    private static let gzip = "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="
    private static let members =
        "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAB+LCAAAAAAAAgPLSM3JyQcAhqYQNgUAAAA="
    // 64 MiB of zeros, compressed twice with gzip.
    private static let bomb =
        "H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5"
        + "L9z7GL/z+aSTTzw7+549NrLSQf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4d"
        + "Bf5uT8+tAwAAAJL3MOi3qw+B77tJbh0AAACQvM7v26i6BWyKp5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCL"
        + "YAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABDLYtDvlo8B"
        + "7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA="

    /// Compressed bodies.
    private static let encodings: [Self] = [
        .init("gzip", encoded("gzip", base64: gzip), .hello),
        .init(
            "gzip that is text", [ok, "Content-Encoding: gzip", length(5)], "hello", .unreadable),
        .init(
            "corrupt gzip",
            encoded("gzip", base64: gzip.replacing("tIzcnJ", with: "/////w")), .unreadable),
        .init(
            "gzip with a wrong checksum",
            encoded("gzip", base64: gzip.replacing("CGphA2", with: "DGphA2")), .unreadable),
        .init("half a gzip", encoded("gzip", base64: String(gzip.prefix(20))), .body(200, "hell")),
        .init(
            "gzip of two members",
            encoded("gzip", base64: members), .unreadable),
        .init(
            "gzip and zeros",
            encoded("gzip", base64: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAAAAAAAAAAAA"), .unreadable
        ),
        .init(
            "chunks of gzip of two members",
            Data("\(ok)\r\nContent-Encoding: gzip\r\n\(chunked)\r\n\r\n32\r\n".utf8)
                + (Data(base64Encoded: members) ?? Data()) + Data("\r\n0\r\n\r\n".utf8),
            .unreadable),
        .init("deflate", encoded("deflate", base64: "eJzLSM3JyQcABiwCFQ=="), .hello),
        .init("deflate without a zlib header", encoded("deflate", base64: "y0jNyckHAA=="), .hello),
        .init(
            "a bomb of 64 MiB", encoded("gzip, gzip", base64: bomb), .body(200, "\(64 << 20) bytes")
        ),
        .init(
            "ten encodings",
            [
                ok,
                "Content-Encoding: " + Array(repeating: "gzip", count: 10).joined(separator: ","),
                length(5),
            ], "hello", .malformed),
        .init(
            "an unknown encoding", [ok, "Content-Encoding: woof", length(5)], "hello", .unreadable),
        .init("identity", [ok, "Content-Encoding: identity", length(5)], "hello", .hello),
    ]

    /// Returns a redirect.
    private static func redirect(
        _ name: String, _ location: String, status: Int = 302, _ outcome: Outcome
    ) -> Self {
        .init(
            name, ["HTTP/1.1 \(status) Found", "Location: \(location)", length(0)], then: .wait,
            outcome)
    }

    /// Redirects besides those of `ExchangeTests`.
    private static let redirects: [Self] = [
        redirect("a redirect to itself with 307", "?", status: 307, .failed(.httpTooManyRedirects)),
        redirect("redirects without end", "a/", .failed(.httpTooManyRedirects)),
        redirect("a redirect to an empty location", "", .refused(302)),
        redirect("a redirect to a script", "javascript:alert(1)", .refused(302)),
        redirect("a redirect to an invalid URL", "http://[", .refused(302)),
        redirect("a redirect to a URL without a host", "http://", .refused(302)),
        redirect("200 with a location", "/cats", status: 200, .body(200, "")),
        .init(
            "a redirect with half a body", ["HTTP/1.1 302 Found", "Location: /dogs", length(50)],
            "hello", .lost),
    ]

    /// Responses without an end.
    private static let endless: [Self] = [
        .init("silence", Data(), then: .wait, .overdue),
        .init("half a body and silence", [ok, length(10)], "hello", then: .wait, .overdue),
        .init("half a chunk and silence", [ok, chunked], "9\r\nhello", then: .wait, .overdue),
        .init("half a head and silence", Data("\(ok)\r\nX-A: b\r\n".utf8), then: .wait, .overdue),
        .init("a body without end", [ok], then: .forever(dust), .overdue),
        .init(
            "chunks without end", [ok, chunked], then: .forever("4000\r\n\(dust)\r\n"), .overdue),
        .init("a chunk size without end", [ok, chunked], then: .forever("1"), .unreadable),
        .init(
            "a chunk extension without end", [ok, chunked], "5;", then: .forever(dust), .overdue),
        .init(
            "a status line without end", Data("HTTP/1.1 200 ".utf8), then: .forever(dust),
            .malformed),
        .init(
            "fields without end", Data("\(ok)\r\n".utf8), then: .forever("X-A: \(dust)\r\n"),
            .malformed),
        .init(
            "interim responses without end", Data(),
            then: .forever("HTTP/1.1 102 Processing\r\n\r\n"), .overdue),
        .init(
            "500 without end", ["HTTP/1.1 500 No"], then: .forever(fineDust), .overdue,
            stream: .refused(500), download: .refused(500)),
        .init(
            "401 for Bearer without end", ["HTTP/1.1 401 No", "WWW-Authenticate: Bearer"],
            then: .forever(fineDust), .overdue, stream: .refused(401), download: .refused(401)),
        .init(
            "401 for Basic without end", ["HTTP/1.1 401 No", "WWW-Authenticate: Basic"],
            then: .forever(fineDust), .overdue, stream: .refused(401), download: .refused(401)),
    ]

    // At 500 times a second, a limit of a megabyte is reached soon.
    private static let dust = String(repeating: "a", count: 16_384)
    // The limit of a body is then later than the deadline.
    private static let fineDust = String(repeating: "a", count: 1_024)
}
