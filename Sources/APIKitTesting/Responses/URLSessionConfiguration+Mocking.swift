import Foundation

extension URLSessionConfiguration {
    /// Returns the header fields that a session adds to a request.
    ///
    /// Not every platform shows them to a URL protocol.
    func additionalHeaders(for request: URLRequest) -> [String: String] {
        var headers = (httpAdditionalHeaders ?? [:]).reduce(into: [:]) { headers, field in
            headers["\(field.key)"] = "\(field.value)"
        }
        headers["Cookie"] = headers["Cookie"] ?? storedCookies(for: request)
        return headers
    }

    /// Returns the value of the header field `Cookie` for a request, if the storage has cookies for it.
    func storedCookies(for request: URLRequest) -> String? {
        guard request.httpShouldHandleCookies, httpShouldSetCookies, let url = request.url,
            let cookies = httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
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
