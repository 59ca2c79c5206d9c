import APIKit
import Foundation

/// A request that a server received, with its whole body.
public struct RecordedRequest: Sendable {
    /// The request, including its cache policy, its timeout and its network flags.
    ///
    /// Its header fields are ``headers``. Its `httpBody` is ``body``, or `nil` if the body is
    /// empty. It never has a body stream. It does not include settings of the session's
    /// configuration, such as a timeout.
    public let urlRequest: URLRequest

    /// The method.
    public let method: HTTPMethod

    /// The whole URL.
    public let url: URL

    /// The header fields, including those that the session's configuration adds to every request.
    ///
    /// They include `Content-Length`, or `Transfer-Encoding: chunked` for a body stream of unknown
    /// length. Other fields that the system adds, such as `Host` and `User-Agent`, are missing.
    public let headers: [String: String]

    /// The whole body, from data, a stream, a file or an upload task, or empty data.
    public let body: Data

    /// The values of the placeholders and named captures in the path of the route that served the
    /// request.
    public internal(set) var parameters: [String: String] = [:]

    /// The percent-encoded path, or `/` for a URL without a path.
    public let path: String

    /// The decoded segments of the path.
    let pathSegments: [String]

    /// Whether the body is known, because many recordings of other tools lack it.
    var hasBody = true

    /// The position in the journal, the received requests of the server.
    var number = 0

    /// The request type that has made the request, if a client has sent it.
    var apiRequest: (any APIRequest)?

    /// The target of the request whose response redirected to this one.
    var redirectSource: String?

    /// Creates a request with the given method, or else with the method of the `URLRequest`.
    init(_ request: URLRequest, url: URL, body: Data, method: HTTPMethod? = nil) {
        let method = method ?? request.method
        var request = request
        if !body.isEmpty || request.httpBody != nil || request.httpBodyStream != nil {
            // This also removes the body stream, which has been read.
            request.httpBody = body.isEmpty ? nil : body
        }
        // A request without a body has a `Content-Length` too, if its method gives a body a meaning
        // (RFC 9110, section 8.6). A length that is already set may be that of another body.
        if !body.isEmpty || method.expectsBody || !request.framingFields.isEmpty,
            request.value(forHTTPHeaderField: "Transfer-Encoding") == nil
        {
            request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length")
        }
        self.init(request, method, url, request.allHTTPHeaderFields ?? [:], body)
    }

    /// Creates the request of a file, with no other header fields.
    init(_ method: String, _ url: URL, fields: [HeaderField] = [], body: Data = Data()) {
        var request = URLRequest(url: url)
        if method != "GET" { request.httpMethod = method }
        let headers = fields.joined
        request.allHTTPHeaderFields = headers
        if !body.isEmpty { request.httpBody = body }
        self.init(request, request.method, url, headers, body)
    }

    private init(
        _ request: URLRequest, _ method: HTTPMethod, _ url: URL, _ headers: [String: String],
        _ body: Data
    ) {
        (urlRequest, self.method, self.url) = (request, method, url)
        (self.headers, self.body) = (headers, body)
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        pathSegments = RecordedRequest.segments(of: self.path)
    }

    /// Returns the request with other texts, for a file.
    func with(_ url: URL, fields: [HeaderField], body: Data) -> RecordedRequest {
        var request = RecordedRequest(method.rawValue, url, fields: fields, body: body)
        (request.hasBody, request.number, request.apiRequest) = (hasBody, number, apiRequest)
        return request
    }

    /// Returns the decoded segments of a path, including an empty segment for a trailing slash.
    static func segments(of path: String) -> [String] {
        split(path).map { Substring($0).percentDecoded() }
    }

    /// Returns the segments of a path without decoding them.
    static func encodedSegments(of path: String) -> [String] {
        split(path).map { String(Substring($0)) }
    }

    private static func split(_ path: String) -> [Substring.UTF8View] {
        let path = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// The decoded items of the query, in order.
    ///
    /// They are decoded as in RFC 3986, so `+` is a plus sign. An item that is not UTF-8, such as
    /// `q=%E8`, is not decoded. `a=1&` has one item.
    public var queryItems: [URLQueryItem] {
        guard let query = url.query(percentEncoded: true), !query.isEmpty else { return [] }
        return Self.items(of: query)
    }

    /// Returns the decoded names and values of a query or a form.
    private static func items(of text: String, plusIsSpace: Bool = false) -> [URLQueryItem] {
        // A character can begin with a separator, and servers compare bytes.
        text.utf8.split(separator: UInt8(ascii: "&")).map {
            let item = Substring($0)
            let (name, value) = item.split(at: "=")
            let hasValue = name.utf8.count < item.utf8.count
            return URLQueryItem(
                name: name.percentDecoded(plusIsSpace: plusIsSpace),
                value: hasValue ? value.percentDecoded(plusIsSpace: plusIsSpace) : nil)
        }
    }

    /// Returns the value of a header field by its case-insensitive name.
    public func header(_ name: String) -> String? {
        headers[name] ?? headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    /// Decodes the body.
    ///
    /// - Throws: The error of the decoder, such as a `DecodingError`.
    public func json<Value: Decodable>(
        _ type: Value.Type,
        decoder: any ResponseDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body)
    }

    /// The body as UTF-8 text, or `nil` if it is not valid UTF-8.
    public var text: String? { String(data: body, encoding: .utf8) }

    /// The decoded fields of a URL-encoded form in order, or none for any other body.
    public var form: [URLQueryItem] {
        guard hasContentType("application/x-www-form-urlencoded"), let text else { return [] }
        return Self.items(of: text, plusIsSpace: true)
            .map { URLQueryItem(name: $0.name, value: $0.value ?? "") }
    }

    /// The parts of a multipart form in order, or none for any other body.
    ///
    /// A body with a malformed part, such as one without a name, is no form (RFC 7578).
    public var parts: [Part] {
        guard hasContentType("multipart/"), let type = header("Content-Type") else { return [] }
        return Part.parts(of: body, contentType: type)
    }

    /// The values of the cookies in the header field `Cookie`, by their names.
    ///
    /// If a name repeats, its last value counts.
    public var cookies: [String: String] {
        Dictionary(cookieItems.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }

    /// The names and values of the cookies, in order.
    var cookieItems: [URLQueryItem] {
        (header("Cookie") ?? "").utf8.split(separator: UInt8(ascii: ";")).map {
            let (name, value) = Substring($0).split(at: "=")
            return URLQueryItem(
                name: name.trimmingCharacters(in: .whitespaces),
                value: value.trimmingCharacters(in: .whitespaces))
        }
    }

    /// The user and the password in the header field `Authorization`.
    var basicCredentials: (user: String, password: String)? {
        let (scheme, credentials) = (header("Authorization") ?? "").split(at: " ")
        guard scheme.lowercased() == "basic",
            let data = Data(base64Encoded: credentials.trimmingCharacters(in: .whitespaces)),
            let text = String(data: data, encoding: .utf8), text.contains(":")
        else { return nil }
        // Only the password can contain a colon.
        let (user, password) = text.split(at: ":")
        return (String(user), String(password))
    }

    private func hasContentType(_ prefix: String) -> Bool {
        header("Content-Type")?.lowercased().hasPrefix(prefix) == true
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// The method and the URL, with secrets masked.
    public var description: String { "\(method) \(Redaction.masked(url))" }

    /// The method, the path and the query in a failure, with secrets masked.
    var target: String {
        let url = Redaction.masked(url)
        let query = url.firstIndex(of: "?").map { url[$0...].prefix { $0 != "#" } } ?? ""
        return "\(method) \(shownPath)\(query)".shortened(to: 200)
    }

    /// The path in a failure, with secrets masked.
    var shownPath: String { Redaction.secrets.masked(path) }

    /// The body in a failure on one line, without secrets and with about 400 characters at most.
    var shownBody: String? {
        guard !body.isEmpty else { return nil }
        guard let text = sortedJSON ?? harmlessText else { return "\(body.count) bytes" }
        let shown = text.shortened(to: 400)
        return shown.escaped + (shown == text ? "" : " (\(body.count) bytes)")
    }

    /// The start of the body as text, or `nil` if it may contain a secret or has control characters.
    private var harmlessText: String? {
        guard let start = text?.start, !hasContentType("multipart/"),
            start.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control || "\t\n\r".unicodeScalars.contains($0)
            })
        else { return nil }
        return Redaction.secrets.masked(start)
    }

    /// A JSON body on one line, or `nil` for any other body, and for a large one.
    private var sortedJSON: String? {
        guard body.count <= 1 << 16,
            let value = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { return nil }
        // An encoder writes the members of an object in any order.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value))
            .map { Redaction.secrets.masked(String(decoding: $0, as: UTF8.self).start) }
    }
}

extension RecordedRequest: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        [
            "request": description, "headers": Redaction.masked(headers),
            "body": shownBody ?? "none",
        ]
    }
}

extension String {
    /// The mistake in the text as the name of a header field, if there is one.
    var problemAsHeaderName: String? {
        HTTPToken.isValid(self)
            ? nil
            : "\(debugDescription) is not a valid header name. Use a token, such as X-Trace-ID"
    }
}
