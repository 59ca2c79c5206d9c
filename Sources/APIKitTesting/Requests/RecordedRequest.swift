import APIKit
import Foundation

/// A request as a server received it, its body already read.
public struct RecordedRequest: Sendable {
    /// The request with everything that has no property here, such as its cache policy, its timeout
    /// and its network flags.
    ///
    /// Its header fields are ``headers``. Its `httpBody` is ``body``, or `nil` if that is empty; it
    /// never has a body stream. Settings of the session's configuration, such as a timeout, are not
    /// part of it.
    public let urlRequest: URLRequest

    /// The method.
    public let method: HTTPMethod

    /// The URL, whole.
    public let url: URL

    /// The headers, including those that the session's configuration adds to every request.
    public let headers: [String: String]

    /// The body, however it was sent; empty if there was none.
    public let body: Data

    /// The values of the placeholders in the path of the route that served the request.
    public internal(set) var parameters: [String: String] = [:]

    /// The path, percent-encoded as sent; `/` for a URL without one.
    public let path: String

    /// The segments of the path, decoded.
    let pathSegments: [String]

    init(_ request: URLRequest, url: URL, body: Data, additionalHeaders: [String: String] = [:]) {
        method = request.method
        self.url = url
        self.body = body
        var request = request
        for (name, value) in additionalHeaders
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        // This also removes a body stream, which has been read.
        request.httpBody = body.isEmpty ? nil : body
        headers = request.allHTTPHeaderFields ?? [:]
        urlRequest = request
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        pathSegments = PathTemplate.segments(of: self.path)
    }

    /// The items of the query, decoded, in order.
    public var queryItems: [URLQueryItem] {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    }

    /// Returns the value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? {
        headers[name] ?? headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    /// Decodes the body.
    ///
    /// - Throws: A `DecodingError` if the body is not such a value.
    public func json<Value: Decodable>(
        _ type: Value.Type,
        decoder: any ResponseDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body)
    }

    /// The body as UTF-8 text, or `nil` if it is not valid UTF-8.
    public var text: String? { String(data: body, encoding: .utf8) }

    /// The fields of the form that is the body, decoded, in order; none if the body is no form.
    public var form: [URLQueryItem] {
        guard hasContentType("application/x-www-form-urlencoded"), let text else { return [] }
        return text.split(separator: "&").map { field in
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? String($0) }
            return URLQueryItem(name: pair[0], value: pair.count > 1 ? pair[1] : "")
        }
    }

    /// The parts of the multipart body, in order; none if the body is not multipart.
    public var parts: [Part] {
        guard hasContentType("multipart/"), let type = header("Content-Type") else { return [] }
        return Part.parts(of: body, contentType: type)
    }

    /// The cookies that were sent, by their names.
    public var cookies: [String: String] {
        (header("Cookie") ?? "").split(separator: ";").reduce(into: [:]) { cookies, pair in
            let pair = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            cookies[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
    }

    private func hasContentType(_ prefix: String) -> Bool {
        header("Content-Type")?.lowercased().hasPrefix(prefix) == true
    }

    /// The body by its meaning, if it is JSON.
    var jsonValue: JSONValue? { body.isEmpty ? nil : try? JSONValue(body) }
}

extension RecordedRequest: CustomStringConvertible {
    /// The method and the URL, with secrets masked.
    public var description: String { "\(method) \(Redaction.text(of: url))" }

    /// The body for a message: without secrets, and cut where it is long.
    var shownBody: String? {
        guard !body.isEmpty else { return nil }
        guard let text = jsonValue?.text ?? harmlessText else { return "\(body.count) bytes" }
        let limit = 500
        return text.count > limit ? "\(text.prefix(limit))… (\(body.count) bytes)" : text
    }

    /// The body as text, unless there is any sign of a secret in it.
    private var harmlessText: String? {
        guard let text, !hasContentType("multipart/") else { return nil }
        return Redaction.secrets.hidesWord(in: text) ? nil : Redaction.secrets.text(ofValue: text)
    }
}
