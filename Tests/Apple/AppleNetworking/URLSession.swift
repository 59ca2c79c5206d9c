// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import FoundationNetworking

// A session with the API of Apple's, whose network a test plays. A comment gives the source of what it does,
// in quotes that of Apple's headers. What has no source is a question of `FirstRunTests`.

public typealias URLRequest = FoundationNetworking.URLRequest
public typealias URLResponse = FoundationNetworking.URLResponse
public typealias HTTPURLResponse = FoundationNetworking.HTTPURLResponse
public typealias HTTPCookie = FoundationNetworking.HTTPCookie
public typealias HTTPCookieStorage = FoundationNetworking.HTTPCookieStorage
public typealias URLCache = FoundationNetworking.URLCache
public typealias URLCredential = FoundationNetworking.URLCredential

extension URLRequest {
    public var allowsExpensiveNetworkAccess: Bool { true }
    public var allowsConstrainedNetworkAccess: Bool { true }
    public var assumesHTTP3Capable: Bool { false }
}

public final class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public static var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    public var identifier: String?
    public var httpAdditionalHeaders: [AnyHashable: Any]?
    public var httpShouldSetCookies = true
    public var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
    public var httpCookieStorage: HTTPCookieStorage?
    public var urlCache: URLCache?
    public var usesClassicLoadingMode = true
}

public final class URLSession: NSObject, @unchecked Sendable {
    public enum ResponseDisposition: Int, Sendable {
        case cancel, allow, becomeDownload, becomeStream
    }
    /// A head, a body, and why the connection breaks off after it.
    public typealias Response = (head: HTTPURLResponse, body: AsyncStream<Data>, error: URLError?)
    // Throws if there is no head. The second argument reads the body to its end, or to a number of bytes.
    public typealias Network =
        @Sendable (URLRequest, @escaping @Sendable (Int) async throws -> Data) async throws ->
        Response
    public static let shared = URLSession(configuration: .default)
    public let configuration: URLSessionConfiguration
    public let delegate: (any URLSessionDelegate)?
    public let delegateQueue = OperationQueue()
    /// Set it before the first task.
    public var network: Network = { _, _ in throw URLError(.notConnectedToInternet) }

    // "If nil, the session creates a serial operation queue." Tests pass no other.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) {
        (self.configuration, self.delegate) = (configuration, delegate)
        self.delegateQueue.maxConcurrentOperationCount = 1
    }

    public func dataTask(with request: URLRequest) -> URLSessionTask {
        URLSessionTask(self, request, nil)
    }
    public func uploadTask(with request: URLRequest, from data: Data) -> URLSessionTask {
        URLSessionTask(self, request, (data.count, { InputStream(data: data) }))
    }
    public func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionTask {
        let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
        return URLSessionTask(self, request, (size ?? 0, { InputStream(url: file) }))
    }
}
