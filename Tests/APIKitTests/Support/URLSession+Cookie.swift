import APIKit
import Foundation
import Testing

extension URLSession {
    /// Stores a cookie for `api.example.com` in the session's storage.
    func setCookie(_ name: String, _ value: String) throws {
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: name, .value: value, .domain: "api.example.com", .path: "/",
            ]))
        configuration.httpCookieStorage?.setCookie(cookie)
    }
}
