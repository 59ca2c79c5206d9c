import Foundation

/// The redirects that a transport follows.
///
/// A redirect that is not followed is returned as the response. Redirects are followed only to http
/// and https, and never from https to http.
public enum RedirectPolicy: Sendable {
    /// Follows all redirects, at most 16 in a row.
    ///
    /// Another origin does not receive the credentials of the request and the configuration: the
    /// fields `Authorization`, `Cookie`, `X-Api-Key` and all others that ``Redaction/secrets`` masks.
    /// The session still sends the cookies that its storage has for the new URL. Cookies belong to a
    /// host, not to a port (RFC 6265, section 8.5).
    case follow

    /// Follows redirects to the same scheme, host and port (RFC 6454).
    case sameOrigin

    /// Follows no redirect.
    case never

    /// Returns the request that follows a redirect, or `nil` if the response is final.
    ///
    /// Call the method in your own transport for each response head. If it returns a request with the
    /// same method, send that request with the same separate body. See ``HTTPTransport``. Call it in
    /// the task of the client's call, which then knows whether a redirected POST may be repeated.
    ///
    /// - A 303 becomes a GET without a body, unless the request was a HEAD. So does a POST after a 301
    ///   or 302. Any other redirect keeps method and body (RFC 9110, section 15.4).
    /// - The header fields of the body are removed with the body. For another origin, all credentials
    ///   are removed, and `Host`, `Origin`, `Referer`, `If-None-Match` and `If-Modified-Since`.
    /// - A redirect that keeps a body that can be read only once is final: an `httpBodyStream`, or the
    ///   body of an upload whose ``HTTPBody/isRepeatable`` is `false`.
    ///
    /// - Parameters:
    ///   - response: The response head. Its `url` is the URL that was requested.
    ///   - request: The request that was sent.
    ///   - count: The number of redirects that were followed before.
    /// - Returns: The request to send, or `nil`.
    /// - Throws: A `URLError` of code `httpTooManyRedirects` for the 17th redirect in a row.
    public func request(
        after response: HTTPURLResponse, to request: URLRequest, redirectCount count: Int
    ) throws -> URLRequest? {
        let next = try self.request(after: response, to: request, at: nil, redirectCount: count)
        guard let next, let attempt = CallAttempt.current else { return next }
        guard next.method == .get || attempt.context.body?.isRepeatable != false else { return nil }
        attempt.follow(next, after: response, to: request)
        return next
    }

    /// Returns the request that follows a redirect, at the URL that the system has found, if any.
    func request(
        after response: HTTPURLResponse, to request: URLRequest, at proposal: URL?,
        redirectCount count: Int
    ) throws -> URLRequest? {
        guard self != .never,
            let next = Redirect.request(after: response, to: request, at: proposal),
            self != .sameOrigin || Origin(response.url) == Origin(next.url)
        else { return nil }
        guard count < Redirect.limit else { throw URLError(.httpTooManyRedirects) }
        return next
    }
}

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
    ///
    /// The next URL must be http or https, and https if the previous URL is. If it has no fragment,
    /// it inherits the previous one (RFC 9110, section 10.2.2). A request whose body stream has
    /// been read cannot be sent again. For another origin, the credentials are removed.
    ///
    /// - Parameters:
    ///   - response: The response head.
    ///   - request: The request that was sent.
    ///   - proposal: The next URL if the system has found it. On Apple platforms the system also
    ///     proposes a method and no body, which are wrong for some redirects
    ///     (https://github.com/WebKit/WebKit/pull/62982), so it proposes only the URL here.
    /// - Returns: The request to send, or `nil`.
    package static func request(
        after response: HTTPURLResponse, to request: URLRequest, at proposal: URL? = nil
    ) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let previous = response.url ?? request.url,
            let field = response.value(forHTTPHeaderField: "Location"),
            case let location = field.asSingleValue, !location.isEmpty,
            // The system does not understand a repeated field.
            let url = (location == field ? proposal : nil)
                ?? URL(link: location, relativeTo: previous)?.absoluteURL
        else { return nil }
        let schemes = [previous, url].map { $0.scheme?.lowercased() }
        let becomesGet =
            response.statusCode == 303 && request.method != .head
            || response.statusCode < 303 && request.method == .post
        guard schemes[1] == "https" || schemes[1] == "http" && schemes[0] != "https",
            request.httpBodyStream == nil || becomesGet || request.method == .get
        else { return nil }

        var next = request
        next.url = url
        if url.fragment == nil, let fragment = request.url?.fragment {
            next.url = URL(string: "\(url.absoluteString)#\(fragment)") ?? url
        }
        if becomesGet {
            next.becomeGet()
        }
        next.removeCredentials(ifLeavingOriginOf: previous)
        return next
    }

    /// The fields that describe or frame a body (RFC 9110, section 15.4), besides `Content-…`.
    fileprivate static let bodyFields: Set = [
        "digest", "repr-digest", "last-modified", "transfer-encoding", "trailer", "expect",
    ]

    /// Returns whether a field does not go to another origin: a secret, or what names the origin or the
    /// response that a cache has of it (RFC 9110, section 15.4).
    ///
    /// `If-Match` and `If-Range` go: without them, the request would change or return something else.
    fileprivate static func staysInItsOrigin(_ name: String, _ value: String) -> Bool {
        let own = ["host", "origin", "referer", "if-none-match", "if-modified-since"]
        return own.contains(name.lowercased()) || Redaction.hides(header: name, value)
    }
}

extension URLRequest {
    /// Makes the request a GET, without the body and its header fields.
    mutating func becomeGet() {
        httpMethod = HTTPMethod.get.rawValue
        httpBody = nil
        removeFields { name, _ in
            name.lowercased().hasPrefix("content-")
                || Redirect.bodyFields.contains(name.lowercased())
        }
    }

    /// The names of the fields that frame a body, in their own spelling.
    package var framingFields: [String] {
        // Most names have another length, so nothing is allocated for them.
        allHTTPHeaderFields?.keys.filter { name in
            switch name.utf8.count {
            case 14: name.lowercased() == "content-length"
            case 17: name.lowercased() == "transfer-encoding"
            default: false
            }
        } ?? []
    }

    /// Removes the fields that frame a body, which the sender of a body of known length sets itself.
    ///
    /// A wrong length would split the request in two, or hold it up (RFC 9112, section 11.2).
    package mutating func removeFraming() {
        for name in framingFields { setValue(nil, forHTTPHeaderField: name) }
    }

    /// Returns the request of a delegate, without the credentials that it has taken over for another
    /// origin.
    ///
    /// Credentials that the delegate itself has set stay.
    ///
    /// - Parameter offered: The request that the delegate received.
    /// - Returns: The request to send.
    func removingCredentials(of offered: URLRequest) -> URLRequest {
        guard Origin(url) != Origin(offered.url) else { return self }
        var request = self
        request.removeFields { name, value in
            Redirect.staysInItsOrigin(name, value)
                && offered.value(forHTTPHeaderField: name) == value
        }
        return request
    }

    /// Sets the secret header fields of a session to empty values, if the request does not have them.
    ///
    /// A session of Apple platforms adds its header fields to every request that does not set them. A
    /// load sets them itself, so a redirect has removed those that are missing.
    mutating func hideCredentials(of configuration: URLSessionConfiguration) {
        for (name, value) in configuration.additionalFields(for: self)
        where Redaction.hides(header: name, value) {
            setValue("", forHTTPHeaderField: name)
        }
    }

    /// Removes all secret header fields and those of the origin if the request goes to another one.
    package mutating func removeCredentials(ifLeavingOriginOf previous: URL?) {
        if Origin(previous) != Origin(url) { removeFields(Redirect.staysInItsOrigin) }
    }

    /// Removes the header fields whose name and value meet a condition.
    fileprivate mutating func removeFields(_ isRemoved: (_ name: String, _ value: String) -> Bool) {
        for (name, value) in allHTTPHeaderFields ?? [:] where isRemoved(name, value) {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
