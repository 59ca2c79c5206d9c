import Foundation

/// Which redirects are followed.
///
/// A redirect that is not followed is itself the response. Only http and https are followed, and
/// never from https to http.
public enum RedirectPolicy: Sendable {
    /// All of them, at most 16 in a row.
    ///
    /// Another origin gets no credentials: no `Authorization`, `Cookie`, `X-Api-Key` or any other
    /// header field that ``Redaction/secrets`` masks.
    case follow

    /// Those that lead to the same scheme, host and port (RFC 6454).
    case sameOrigin

    /// None.
    case never

    func allows(_ request: URLRequest, after response: HTTPURLResponse) -> Bool {
        switch self {
        case .follow: true
        case .sameOrigin: Origin(response.url) == Origin(request.url)
        case .never: false
        }
    }
}
