import Foundation

extension HTTPClient {
    /// The header fields that a session adds to a request: those of its configuration, and cookies.
    ///
    /// It is empty for a transport other than a session, whose header fields are unknown.
    func sessionHeaders(for request: URLRequest) -> [String: String] {
        guard let session = self as? URLSession ?? (self as? URLSessionTransport)?.session else {
            return [:]
        }
        let configuration = session.configuration
        var headers: [String: String] = [:]
        if configuration.httpShouldSetCookies, let url = request.url,
            let cookies = configuration.httpCookieStorage?.cookies(for: url)
        {
            headers = HTTPCookie.requestHeaderFields(with: cookies)
        }
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            headers["\(name)"] = "\(value)"
        }
        return headers
    }
}
