import APIKit
import APIKitTesting
import Foundation
import Testing

// Builders with a default for every argument, so that a test states only what it is about.

extension APIClient {
    /// A client of a mock server unless another transport is given.
    static func make(
        baseURL: URL? = URL(string: "https://api.example.com/v1"),
        headers: [String: String] = [:],
        transport: any HTTPTransport = MockServer { _ in .text("ok") },
        interceptors: [any APIInterceptor] = [],
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) -> APIClient {
        APIClient(
            baseURL: baseURL, headers: headers, transport: transport, interceptors: interceptors,
            observers: observers)
    }

    static func make(
        _ transport: any HTTPTransport, _ interceptors: any APIInterceptor...
    ) -> APIClient {
        make(transport: transport, interceptors: interceptors)
    }
}

extension URLRequest {
    static func make(
        _ method: String = "GET",
        _ url: String = "https://api.example.com/v1/dogs",
        headers: [String: String] = [:],
        body: Data? = nil
    ) throws -> URLRequest {
        var request = URLRequest(url: try .make(url))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        return request
    }
}

extension URL {
    static func make(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }
}

extension UUID {
    /// E621E1F8-C36C-495A-93FC-0C247A3E6E5F.
    static let example = UUID(
        uuid: (
            0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A,
            0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F
        ))
}

extension HTTPURLResponse {
    static func make(
        _ status: Int = 200,
        url: String = "https://api.example.com/v1/dogs",
        headers: [String: String] = [:]
    ) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(
                url: .make(url), statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        )
    }
}

extension URLSession {
    /// A session without a cache, so that its tasks can be canceled on every platform.
    static func plain(
        delegate: (any URLSessionDelegate)? = nil,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        // On a busy machine a response can take longer than the default timeout of one minute.
        configuration.timeoutIntervalForRequest = 600
        configure(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Stores a cookie for `api.example.com` in the session's storage.
    func setCookie(_ name: String, _ value: String) throws {
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: name, .value: value, .domain: "api.example.com", .path: "/",
            ]))
        configuration.httpCookieStorage?.setCookie(cookie)
    }
}

extension Retry {
    /// A retry without delays.
    static var immediate: Retry { Retry(clock: ManualClock(), jitter: { 0 }) }
}
