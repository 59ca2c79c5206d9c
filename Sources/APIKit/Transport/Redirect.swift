import Foundation

/// The rules for following a redirect, on every platform and in mocks.
package enum Redirect {
    /// The maximum number of redirects in a row.
    ///
    /// It is the limit of `URLSession` on Apple platforms, which cannot be changed.
    package static let limit = 16

    /// Returns the request that a response redirects to, or `nil` if the response is final.
    ///
    /// After a 303, the next request is a GET without a body, unless the request was a HEAD. The
    /// same applies to a POST after a 301 or 302. Any other redirect keeps method and body (RFC
    /// 9110, section 15.4, and the Fetch standard, section 4.4).
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

    /// Returns the next request with the credentials that its origin may receive, or `nil` if the
    /// response is final.
    ///
    /// The next URL must be http or https, and https if the previous one is. A request whose body
    /// stream has been read cannot be sent again. Another origin receives no credentials. The same
    /// origin receives the previous `Authorization` if the next request has none.
    ///
    /// - Parameters:
    ///   - next: The next request.
    ///   - response: The redirect response.
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
    /// Removes `Host` and all secret header fields if the request goes to another origin.
    ///
    /// ``Redaction`` decides by the name of a field whether it is secret.
    package mutating func removeCredentials(ifLeavingOriginOf previous: URL?) {
        guard Origin(previous) != Origin(url) else { return }
        for name in allHTTPHeaderFields?.keys ?? [:].keys
        where Redaction.hidesHeader(name) || name.lowercased() == "host" {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
