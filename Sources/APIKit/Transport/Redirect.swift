import Foundation

/// The rules by which a redirect is followed, on every platform and in mocks.
package enum Redirect {
    /// How many redirects in a row are followed: as many as `URLSession` on Apple platforms, whose
    /// limit cannot be changed.
    package static let limit = 16

    /// Returns the request that a response redirects to, or `nil` if the response is final.
    ///
    /// A 303, and for a POST also a 301 or 302, is followed by a GET without a body; any other
    /// redirect keeps method and body (RFC 9110, section 15.4, and the Fetch standard, section
    /// 4.4).
    package static func request(
        after response: HTTPURLResponse,
        to request: URLRequest
    ) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let base = response.url ?? request.url,
            let target = URL(link: location, relativeTo: base)
        else { return nil }

        var next = request
        next.url = target.absoluteURL
        let method = request.method
        let becomesGet =
            response.statusCode == 303 && method != .head
            || response.statusCode < 303 && method == .post
        if becomesGet {
            next.httpMethod = HTTPMethod.get.rawValue
            next.httpBody = nil
            for name in bodyHeaders { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return Self.checked(next, after: response, to: request)
    }

    /// Returns the next request without what its server must not see, or `nil` if the response is
    /// final.
    ///
    /// Only http and https are followed, and never from https to http. A request whose body stream
    /// has been read cannot be sent again. Another origin gets no credentials; the same origin gets
    /// the `Authorization` that was sent.
    ///
    /// - Parameters:
    ///   - next: The next request.
    ///   - response: The redirect.
    ///   - request: The request that was sent.
    /// - Returns: The request to send, or `nil`.
    package static func checked(
        _ next: URLRequest, after response: HTTPURLResponse, to request: URLRequest
    ) -> URLRequest? {
        let previous = response.url ?? request.url
        let schemes = [previous, next.url].map { $0?.scheme?.lowercased() }
        guard schemes[1] == "https" || schemes[1] == "http" && schemes[0] != "https",
            request.httpBodyStream == nil || next.method == .get
        else { return nil }
        var next = next
        if Origin(previous) == Origin(next.url),
            next.value(forHTTPHeaderField: "Authorization") == nil
        {
            next.setValue(
                request.value(forHTTPHeaderField: "Authorization"),
                forHTTPHeaderField: "Authorization")
        }
        next.removeCredentials(ifLeavingOriginOf: previous)
        return next
    }

    private static let bodyHeaders = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
        "Content-Location", "Transfer-Encoding",
    ]
}

extension URLRequest {
    /// Removes the header fields that are meant for one origin, if the request goes to another.
    ///
    /// That is `Host`, and every field whose name ``Redaction`` takes for that of a secret.
    package mutating func removeCredentials(ifLeavingOriginOf previous: URL?) {
        guard Origin(previous) != Origin(url) else { return }
        for name in allHTTPHeaderFields?.keys ?? [:].keys
        where Redaction.hidesHeader(name) || name.lowercased() == "host" {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
