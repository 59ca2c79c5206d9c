import Foundation

/// Which redirects are followed.
///
/// One that is not followed is itself the response.
public enum RedirectPolicy: Sendable {
    /// All of them, twenty in a row at the most.
    ///
    /// Another origin does not get `Authorization`, `Cookie` and `Proxy-Authorization`.
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
