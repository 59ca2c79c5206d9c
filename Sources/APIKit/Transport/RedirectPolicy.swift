import Foundation

/// The redirects that a transport follows.
///
/// A redirect that is not followed is returned as the response. Redirects are followed only to http
/// and https, and never from https to http.
public enum RedirectPolicy: Sendable {
    /// Follows all redirects, at most 16 in a row.
    ///
    /// Another origin receives no credentials: no `Authorization`, `Cookie`, `X-Api-Key` or any other
    /// header field that ``Redaction/secrets`` masks.
    case follow

    /// Follows redirects to the same scheme, host and port (RFC 6454).
    case sameOrigin

    /// Follows no redirect.
    case never

    /// Returns the request that follows a redirect, or `nil` if the response is final.
    ///
    /// Call the method in your own transport for each response head. If it returns a request with the
    /// same method, send that request with the same separate body. See ``HTTPTransport``.
    ///
    /// - A 303 becomes a GET without a body, unless the request was a HEAD. So does a POST after a 301
    ///   or 302. Any other redirect keeps method and body (RFC 9110, section 15.4).
    /// - The header fields of the body are removed with the body. For another origin, `Host` and all
    ///   credentials are removed.
    /// - A redirect whose request has an `httpBodyStream` is final unless it becomes a GET.
    ///
    /// - Parameters:
    ///   - response: The response head. Its `url` is that of the request that it responds to.
    ///   - request: The request that was sent.
    ///   - count: The number of redirects that were followed before.
    /// - Returns: The request to send, or `nil`.
    /// - Throws: A `URLError` of code `httpTooManyRedirects` for the 17th redirect in a row.
    public func request(
        after response: HTTPURLResponse, to request: URLRequest, redirectCount count: Int
    ) throws -> URLRequest? {
        guard let next = Redirect.request(after: response, to: request),
            allows(next, after: response)
        else { return nil }
        guard count < Redirect.limit else { throw URLError(.httpTooManyRedirects) }
        return next
    }

    func allows(_ request: URLRequest, after response: HTTPURLResponse) -> Bool {
        switch self {
        case .follow: true
        case .sameOrigin: Origin(response.url) == Origin(request.url)
        case .never: false
        }
    }
}
