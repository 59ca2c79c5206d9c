import Foundation

extension URLRequest {
    /// Creates a request from its parts.
    ///
    /// The URL is relative, so that it goes below the base URL of whichever client sends it, unless
    /// the path is an absolute URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, whose interpolated values are encoded each as part of one segment.
    ///   - query: The query items, added after any that the path holds.
    ///   - headers: The headers of this request, which win over those of a client.
    ///   - body: The body, whose content type is sent unless `headers` has one. A file becomes a
    ///     stream; a multipart form is read into memory, its files included.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``, or of kind
    ///   ``APIError/Kind/file(_:)`` for a body whose files cannot be read.
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
            throw APIError(.invalidRequest("\"\(text)\" is not a path of a URL"))
        }
        guard HTTPToken.isValid(method.rawValue) else {
            throw APIError(.invalidRequest("\"\(method.rawValue)\" is not a method"))
        }
        self.init(url: url)
        httpMethod = method.rawValue
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
        // All of it is ASCII by now, and bytes are found in a fraction of the time of characters.
        var text = path.text
        if !path.isAbsolute, !text.isEmpty, !text.hasPrefix("?") {
            // With a slash in front, a colon in the first segment cannot be taken for the end of a
            // scheme, nor an empty first segment for the start of a host.
            text = "/" + Substring(text.utf8.drop { $0 == UInt8(ascii: "/") })
        }
        if !query.items.isEmpty {
            let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
            let start = text[..<fragment].utf8
            let isOpen = start.last == UInt8(ascii: "?")
            let separator = isOpen ? "" : start.contains(UInt8(ascii: "?")) ? "&" : "?"
            text.insert(contentsOf: separator + query.query, at: fragment)
        }
        // No URL has an empty text; an empty query stands for the base URL itself.
        self.init(string: text.isEmpty ? "?" : text)
    }
}
