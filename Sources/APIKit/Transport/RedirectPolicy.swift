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

    func allows(_ request: URLRequest, after response: HTTPURLResponse) -> Bool {
        switch self {
        case .follow: true
        case .sameOrigin: Origin(response.url) == Origin(request.url)
        case .never: false
        }
    }
}
