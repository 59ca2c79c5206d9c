import Foundation

#if canImport(FoundationNetworking)

extension HTTPURLResponse {
    private static let bareURL = URL(fileURLWithPath: "/dev/null/HTTPURLResponse")

    /// Creates a response with status 200 and no header fields, as on Apple platforms.
    ///
    /// ``MockURLProtocol/requestHandler`` may return it. The URL of the request then replaces its URL.
    public convenience init() {
        // With this status and this version the initializer does not fail.
        // swift-format-ignore: NeverForceUnwrap
        self.init(
            url: HTTPURLResponse.bareURL, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: nil)!
    }

    /// Whether the response was made with `HTTPURLResponse()`.
    var isBare: Bool { url == HTTPURLResponse.bareURL }
}

#endif
