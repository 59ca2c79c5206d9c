import APIKit
import Foundation

extension RequestPattern {
    /// The request that a request type makes from an input.
    ///
    /// The request type states the method, the URL and the body, so the pattern changes with it.
    ///
    /// ```swift
    /// server.on(.request(DogsRequest(), with: "akita"), reply: .json([rex]))
    /// ```
    ///
    /// - A relative URL matches below any base URL. An absolute URL matches only its own scheme,
    ///   host, port and path.
    /// - The query must have the same items in any order, and no others, not even those of a base
    ///   URL. A condition on an item that an interceptor adds allows it:
    ///   `.request(DogsRequest(), with: "akita").query("api_key", .any)`.
    /// - A form is compared by its items, a multipart form by its parts, and an object or an array of JSON
    ///   by its meaning, also in an item or a part. Any other body is compared by its bytes. Without a
    ///   body, only requests without a body match.
    /// - Header fields are not compared.
    ///
    /// The request type makes the request once, when you create the pattern, which also reads the
    /// files of the body. The pattern is invalid if `makeRequest(from:)` throws, or if it makes a
    /// body stream that cannot be read to its end without waiting.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    ///   - body: The body of an upload, if the client sends the request with
    ///     `upload(_:with:from:progress:)`.
    /// - Returns: The pattern.
    public static func request<Request: APIRequest>(
        _ request: Request, with input: Request.RequestDataType, from body: HTTPBody? = nil
    ) -> RequestPattern {
        do {
            return try RequestPattern(expecting: request.makeRequest(from: input), uploading: body)
        } catch {
            let problem = """
                \(String(naming: Request.self)) cannot make its request: \
                \(APIError.clause(for: error)). Pass another input, or correct makeRequest(from:)
                """
            return RequestPattern([], problem: problem)
        }
    }

    /// The request of a type that needs no input.
    ///
    /// It matches the same requests as ``request(_:with:from:)``.
    public static func request<Request: APIRequest>(
        _ request: Request, from body: HTTPBody? = nil
    ) -> RequestPattern where Request.RequestDataType == Void {
        self.request(request, with: (), from: body)
    }

    private init(expecting request: URLRequest, uploading body: HTTPBody?) throws {
        var request = request
        if let body, request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(body.contentType, forHTTPHeaderField: "Content-Type")
        }
        guard let url = request.url else { throw APIError(.invalidRequest("it has no URL")) }
        let expected = RecordedRequest(
            request, url: try url.below(PathTemplate.base),
            body: try body?.data() ?? request.readBody())
        let path = PathTemplate(of: expected, madeFrom: url)
        let content = NamedValues(bodyOf: expected)
        // The text of the path already contains the origin.
        let origin = Condition(label: "", equals: NamedValues(originOf: url)) {
            NamedValues(originOf: $0.request.url)
        }
        let remark = content.values.isEmpty ? " (for an upload, pass its body as from:)" : ""
        let body = Condition(label: content.text, equals: content, remark: remark) { $0.body }
        self.init(
            [.method(expected.method), .path(path)] + (path.isSuffix ? [] : [.condition(origin)])
                + [.query(NamedValues("query", expected.queryItems)), .condition(body)])
    }
}

extension PathTemplate {
    /// A base URL whose path is one segment, which precedes the segments of a relative URL.
    fileprivate static let base = URL(string: "https://base.invalid/base")

    /// Creates a template for the path of a request below the base, whose request type made a URL.
    fileprivate init(of request: RecordedRequest, madeFrom url: URL) {
        let (path, text, isSuffix) = (request.shownPath, Redaction.masked(url), url.scheme == nil)
        let end = text == "?" ? "the base URL" : String(text.drop { $0 == "/" })
        self.init(
            request.pathSegments.dropFirst(isSuffix ? 1 : 0).map { .literal(ExactText($0)) },
            isSuffix: isSuffix, text: isSuffix ? end : text,
            expectation: isSuffix ? "a path that ends with \(path.dropFirst("/base".count))" : path)
    }
}

extension URLRequest {
    /// Returns the whole body.
    ///
    /// - Throws: An error if the body is a stream that cannot be read to its end without waiting.
    fileprivate func readBody() throws -> Data {
        guard httpBody == nil, let stream = httpBodyStream else { return httpBody ?? Data() }
        stream.open()
        defer { stream.close() }
        var (body, count) = (Data(), 1)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while count > 0, stream.hasBytesAvailable {
            count = stream.read(&buffer, maxLength: buffer.count)
            body.append(contentsOf: buffer.prefix(max(0, count)))
        }
        if count == 0 || stream.streamStatus == .atEnd { return body }
        // Without an error, corelibs traps in `streamError`.
        if stream.streamStatus == .error, let error = stream.streamError { throw error }
        throw APIError(.invalidRequest("its body is a stream whose end is not available"))
    }
}
