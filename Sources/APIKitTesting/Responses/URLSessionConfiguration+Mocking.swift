import Foundation

extension URLSessionConfiguration {
    /// Returns the header fields that a session adds to a request.
    ///
    /// Not every platform shows them to a URL protocol.
    func additionalHeaders(for request: URLRequest) -> [String: String] {
        var headers = (httpAdditionalHeaders ?? [:]).reduce(into: [:]) { headers, field in
            headers["\(field.key)"] = "\(field.value)"
        }
        if request.httpShouldHandleCookies, httpShouldSetCookies, let url = request.url,
            let cookies = httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        {
            headers.merge(HTTPCookie.requestHeaderFields(with: cookies)) { own, _ in own }
        }
        return headers
    }

    /// Stores the cookies of a response, as the loading system does for a response from the network.
    func store(_ cookies: [String], after request: URLRequest) {
        guard request.httpShouldHandleCookies, httpCookieAcceptPolicy != .never,
            let httpCookieStorage, let url = request.url
        else { return }
        for cookie in cookies {
            // One at a time, because an expiry date contains a comma, which also separates cookies.
            let fields = ["Set-Cookie": cookie]
            httpCookieStorage.setCookies(
                HTTPCookie.cookies(withResponseHeaderFields: fields, for: url), for: url,
                mainDocumentURL: nil)
        }
    }
}
