import Foundation

extension URLRequest {
    /// Creates a request from its parts.
    ///
    /// The client joins the URL to its base URL, unless the path is an absolute URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, in which each interpolated value is encoded as part of one segment.
    ///   - query: The query items, which follow the query items of the path.
    ///   - headers: The header fields of this request, which override those of the client.
    ///   - body: The body. Its content type is sent unless `headers` has one. The request streams a
    ///     file, and holds a multipart form in memory, including its files.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``, or of kind
    ///   ``APIError/Kind/file(_:)`` if a file of the body cannot be read.
    public init(
        _ method: HTTPMethod,
        _ path: APIPath,
        query: QueryItems = [:],
        headers: [String: String] = [:],
        body: HTTPBody? = nil
    ) throws {
        if let problem = path.problem { throw APIError(.invalidRequest(problem)) }
        guard let url = URL(path, query: query) else {
            let text = Redaction.secrets.masked(path.text)
            throw APIError(.invalidRequest("\"\(text)\" is not a valid path"))
        }
        guard HTTPToken.isValid(method.rawValue) else {
            throw APIError(.invalidRequest("\"\(method.rawValue)\" is not a valid method"))
        }
        self.init(url: url)
        // A new request is a GET, and on Linux setting the method is as slow as parsing the URL.
        if method != .get { httpMethod = method.rawValue }
        if let body {
            if let file = body.file {
                _ = try FileReader(file)
                httpBodyStream = InputStream(url: file)
            } else {
                httpBody = try body.data()
            }
            try setHeaders(["Content-Type": body.contentType], replacing: true)
        }
        try setHeaders(headers, replacing: true)
    }
}

extension URLRequest {
    /// Creates a request for a URL, such as an upload URL or a link in a response.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL. The client joins a relative one to its base URL.
    ///   - query: The query items, which follow the query items of the URL.
    ///   - headers: The header fields of this request, which override those of the client.
    ///   - body: The body, sent as from a path.
    /// - Throws: The same errors as for a path.
    public init(
        _ method: HTTPMethod,
        _ url: URL,
        query: QueryItems = [:],
        headers: [String: String] = [:],
        body: HTTPBody? = nil
    ) throws {
        let path = APIPath(verbatim: url.absoluteString)
        try self.init(method, path, query: query, headers: headers, body: body)
    }
}

extension URL {
    fileprivate init?(_ path: APIPath, query: QueryItems) {
        var parts = URLParts(path.text)
        if PercentEncoding.authority(of: path.text) == nil, !path.text.isEmpty,
            path.text.utf8.first != UInt8(ascii: "?")
        {
            // Without a leading slash, a colon in the first segment would end a scheme. With two,
            // the text after them would be a host.
            parts.path = "/" + Substring(parts.path.utf8.drop { $0 == UInt8(ascii: "/") })
        }
        parts.append(query: query.query[...])
        let text = parts.text
        // `URL` does not accept an empty text. An empty query stands for the base URL itself.
        self.init(string: text.isEmpty ? "?" : text)
    }
}

extension URLRequest {
    /// Sets header fields, and keeps existing values unless `replacing` is `true`.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` that names the header.
    mutating func setHeaders(_ headers: [String: String], replacing: Bool) throws {
        guard !headers.isEmpty else { return }
        for (name, value) in headers { try Self.check(name, value, of: self) }
        // On Linux, `setValue` compares a name with all others, which takes quadratic time.
        var fields = allHTTPHeaderFields ?? [:]
        var names = Dictionary(
            fields.keys.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
        for (name, value) in headers {
            let key = name.lowercased()
            if let old = names[key] {
                guard replacing else { continue }
                fields[old] = nil
            }
            names[key] = name
            fields[name] = value
        }
        allHTTPHeaderFields = fields
    }

    /// Checks the method and the header fields, which interceptors can set without a check.
    ///
    /// A line break in one of them would end it, so the rest would be sent as another field or
    /// another request.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``, without the request, which
    ///   may hold a token.
    func checkHead() throws {
        guard HTTPToken.isValid(method.rawValue) else {
            throw APIError(.invalidRequest("\"\(method.rawValue)\" is not a valid method"))
        }
        for (name, value) in allHTTPHeaderFields ?? [:] { try Self.check(name, value) }
    }

    /// Checks that the request can upload a body, and sets the content type of the body.
    mutating func prepareToUpload(_ body: HTTPBody) throws {
        guard httpBody == nil, httpBodyStream == nil else {
            throw APIError(.invalidRequest("it already has a body, and cannot upload another"))
        }
        guard ![.get, .head].contains(method) else {
            throw APIError(.invalidRequest("a \(method) request cannot upload a body"))
        }
        try setHeaders(["Content-Type": body.contentType], replacing: false)
    }

    /// Sets a body whose length may be unknown.
    package mutating func setBody(_ stream: InputStream?, length: Int?) {
        httpBodyStream = stream
        if let length { setValue("\(length)", forHTTPHeaderField: "Content-Length") }
    }

    /// Throws an error that names a header field if its name or its value is not valid.
    static func check(
        _ name: String, _ value: String, of request: URLRequest? = nil
    ) throws {
        guard HTTPToken.isValid(name) else {
            throw APIError(
                .invalidRequest("\"\(name)\" is not a valid header name"), request: request)
        }
        guard value.isFieldValue else {
            throw APIError(
                .invalidRequest("the value of its header \(name) contains a control character"),
                request: request)
        }
    }
}

extension URLRequest {
    /// The common header fields that identify or date a single attempt, in lowercase.
    static let attemptFields: Set = [
        "date", "idempotency-key", "request-id", "x-request-id", "correlation-id",
        "x-correlation-id", "traceparent", "tracestate", "baggage", "x-amzn-trace-id",
        "x-cloud-trace-context", "sentry-trace", "b3", "x-b3-traceid", "x-b3-spanid",
        "x-b3-parentspanid", "x-b3-sampled", "x-b3-flags",
    ]
}

extension URLRequest {
    /// The body in a form that is equal each time that a request type makes it.
    ///
    /// An encoder writes the members of an object in any order, and each form has a new boundary.
    var comparedBody: ComparedBody? {
        guard let body = httpBody else { return nil }
        if let json = try? JSONDecoder().decode(JSONValue.self, from: body) { return .json(json) }
        let type = FieldReader.parameters(of: value(forHTTPHeaderField: "Content-Type") ?? "")
        return .bytes(type["boundary"].map { body.replacing(Data($0.utf8), with: Data()) } ?? body)
    }

    enum ComparedBody: Hashable {
        case json(JSONValue)
        case bytes(Data)
    }
}
