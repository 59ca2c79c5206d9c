import Foundation

/// The rules by which a redirect is followed.
package enum Redirect {
    /// How many redirects in a row are followed, as on Apple platforms.
    package static let limit = 20

    /// Returns the request that a response redirects to, or `nil` if it does not redirect.
    ///
    /// A 303, and for a POST also a 301 or 302, is followed by a GET without a body; any other
    /// redirect keeps method and body (RFC 9110, section 15.4, and the Fetch standard, section
    /// 4.4). Another origin does not get the credentials.
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
        next.url = target
        let method = request.method
        let becomesGet =
            response.statusCode == 303 && method != "HEAD"
            || response.statusCode < 303 && method == "POST"
        if becomesGet {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in bodyHeaders { next.setValue(nil, forHTTPHeaderField: name) }
        } else if request.httpBodyStream != nil {
            // The stream has been read, so there is nothing to send again.
            return nil
        }
        next.removeCredentials(ifLeavingOriginOf: response.url ?? request.url)
        return next
    }

    private static let bodyHeaders = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
        "Content-Location", "Transfer-Encoding",
    ]
}

extension URLRequest {
    /// Removes the headers that prove who is asking, if the request goes to another origin.
    ///
    /// Sent on, such a header would hand the account of the user to whoever the server redirects to.
    package mutating func removeCredentials(ifLeavingOriginOf previous: URL?) {
        guard Origin(previous) != Origin(url) else { return }
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
