import APIKit
import Foundation

/// The simplest protocol that responds: it has no routes, records nothing, and responds at once.
class MinimalURLProtocol: URLProtocol {
    static let body: Data = {
        // If encoding fails, every workload throws because of the empty body.
        (try? PointOfInterest.tenAsJSON()) ?? Data()
    }()

    class func status(for request: URLRequest) -> Int { 200 }

    class var headers: [String: String] {
        ["Content-Type": "application/json", "Content-Length": "\(body.count)"]
    }

    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let status = Self.status(for: request)
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: Self.headers)
        else {
            client?.urlProtocol(self, didFailWithError: URLError(.badURL))
            return
        }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if status == 200 { client?.urlProtocol(self, didLoad: Self.body) }
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

/// The same protocol for a resource that never changes.
final class UnchangingURLProtocol: MinimalURLProtocol {
    private static let tag = "\"1\""

    override class func status(for request: URLRequest) -> Int {
        request.value(forHTTPHeaderField: "If-None-Match") == tag ? 304 : 200
    }

    override class var headers: [String: String] {
        super.headers.merging(["ETag": tag]) { $1 }
    }
}
