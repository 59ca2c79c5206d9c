import Foundation

extension URLRequest {
    /// Creates a request from its parts.
    ///
    /// The client joins the URL to its base URL, unless the path is an absolute URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, in which each interpolated value is encoded as part of one segment.
    ///   - query: The query items, appended to those in the path.
    ///   - headers: The headers of this request, which override those of the client.
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
            let text = Redaction.secrets.text(ofValue: path.text)
            throw APIError(.invalidRequest("\"\(text)\" is not a valid path"))
        }
        guard HTTPToken.isValid(method.rawValue) else {
            throw APIError(.invalidRequest("\"\(method.rawValue)\" is not a valid method"))
        }
        self.init(url: url)
        // A new request is a GET, and on Linux setting the method is as slow as parsing the URL.
        if method != .get { httpMethod = method.rawValue }
        if let body {
            if case .file(let url) = body.source {
                _ = try FileReader(url)
                httpBodyStream = InputStream(url: url)
            } else {
                httpBody = try body.data()
            }
            try setHeaders(["Content-Type": body.contentType], replacing: true)
        }
        try setHeaders(headers, replacing: true)
    }
}

extension URL {
    fileprivate init?(_ path: APIPath, query: QueryItems) {
        var parts = URLParts(path.text)
        if !path.isAbsolute, !path.text.isEmpty, path.text.utf8.first != UInt8(ascii: "?") {
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
