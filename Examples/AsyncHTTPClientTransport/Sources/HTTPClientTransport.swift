import APIKit
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// A transport over AsyncHTTPClient.
///
/// ```swift
/// let client = APIClient(baseURL: url, transport: HTTPClientTransport())
/// ```
///
/// Copies share one `HTTPClient` and its connections. Unless the program made the client, it is shut
/// down when the last copy and the last stream are released.
///
/// Errors are `URLError`s with the codes of `URLSession`. The error of AsyncHTTPClient is their
/// underlying error.
///
/// The `timeoutInterval` of a request limits the time without progress, as with `URLSession`. The
/// limits of the configuration apply too: by default, a connection must be made within 10 seconds, and
/// HTTP/1.1 uses at most 8 connections for each host. A request waits for one of them within the same
/// 10 seconds, and then fails with `cannotConnectToHost`. If streams stay open, raise
/// `concurrentHTTP1ConnectionsPerHostSoftLimit` of the pool.
///
/// The transport adds only the header fields `Host`, `Accept-Encoding`, `Cookie`, those of the framing
/// of the body, and `Authorization` for a URL with a user and a password. Set a `User-Agent` yourself if
/// a server requires it.
public struct HTTPClientTransport: HTTPTransport {
    private let owner: ClientOwner
    private let cookies: HTTPCookieStorage?
    private let logger: Logger?
    private var redirects = RedirectPolicy.follow

    /// The largest body that ``send(_:)`` and `upload` return, in bytes after decompression.
    ///
    /// A larger one fails with an `APIError` of kind `bodyTooLarge`. The client has a limit too. To
    /// load a larger body, also raise `APIClient.maxBodyBytes`. A stream and a download have none.
    public var maxBodyBytes = 64_000_000

    /// Creates a transport with a separate `HTTPClient`.
    ///
    /// - Parameters:
    ///   - cookies: The storage for cookies, or `nil` to neither store nor send any. On Linux, the
    ///     system's storage sends a cookie to every path of its host.
    ///   - configuration: The configuration of the client. The transport follows redirects itself,
    ///     decodes compressed bodies up to 25 times their size unless you set another limit, and
    ///     reports a connection that cannot be made at once. Its spans omit the query of the URL, which
    ///     may hold keys.
    ///   - logger: The logger for the messages of AsyncHTTPClient about connections, or `nil`.
    public init(
        cookies: HTTPCookieStorage? = nil,
        configuration: HTTPClient.Configuration = .init(),
        logger: Logger? = nil
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.tracing.tracer = configuration.tracing.tracer?.withoutQueries
        if case .disabled = configuration.decompression {
            configuration.decompression = .enabled(limit: .ratio(25))
        }
        // The default on Apple platforms, Network.framework, has other errors.
        owner = ClientOwner(
            HTTPClient(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                configuration: configuration))
        self.cookies = cookies
        self.logger = logger
    }

    /// Creates a transport over a client of the program, such as `HTTPClient.shared`.
    ///
    /// The transport shares the connections of the client, and never shuts it down. The configuration
    /// applies unchanged. Set its `redirectConfiguration` to `.disallow`, because a client that follows
    /// redirects sends fields such as `X-Api-Key` to other origins. With a redirect policy other than
    /// `follow`, a call whose redirect the client has followed throws an `APIError`.
    ///
    /// - Parameters:
    ///   - client: The client. Shut it down after the last call, unless it is `HTTPClient.shared`.
    ///   - cookies: The storage for cookies, or `nil` to neither store nor send any. On Linux, the
    ///     system's storage sends a cookie to every path of its host.
    ///   - logger: The logger for the messages of AsyncHTTPClient about connections, or `nil`.
    public init(_ client: HTTPClient, cookies: HTTPCookieStorage? = nil, logger: Logger? = nil) {
        owner = ClientOwner(client, shutsDown: false)
        self.cookies = cookies
        self.logger = logger
    }

    /// Returns a transport with a redirect policy, over the same connections.
    public func redirecting(_ policy: RedirectPolicy) -> HTTPClientTransport {
        var transport = self
        transport.redirects = policy
        return transport
    }

    /// Sends a request, and buffers the body of its response.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await load(request, nil)
    }

    /// Sends a request, and returns the body as it arrives.
    ///
    /// The connection is read only as fast as the stream. Ending the stream early closes the connection.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let progress = makeProgressTimer(for: request)
        let (body, head) = try await progress.run {
            try await open(request, nil, progress)
        }
        return (ByteStream(Chunks(of: body, progress, owner)), head)
    }

    /// Sends a request with a separate body, in chunks.
    ///
    /// A chunk counts as sent when the system has buffered it, and then the next one is read.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        let upload = try Upload(body, progress)
        // The client does not cancel a sequence that it waits for when the request ends.
        defer { upload.chunks.stream.cancel() }
        let result = try await load(request, upload)
        // Only a 2xx means that the server has read the whole body.
        if let length = upload.chunks.length, let http = result.1 as? HTTPURLResponse,
            (200..<300).contains(http.statusCode)
        {
            progress(TransferProgress(completedBytes: length, totalBytes: length))
        }
        return result
    }

    private func cookieField(for request: URLRequest) -> String? {
        guard request.httpShouldHandleCookies, let url = request.url else { return nil }
        let cookies = cookies?.cookies(for: url) ?? []
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    private func load(
        _ request: URLRequest, _ upload: Upload?
    ) async throws -> (Data, URLResponse) {
        let progress = makeProgressTimer(for: request)
        return try await progress.run {
            let (body, head) = try await open(request, upload, progress)
            var data = Data()
            if let body {
                for try await buffer in body {
                    progress.reset()
                    guard buffer.readableBytes <= maxBodyBytes - data.count else {
                        throw APIError(.bodyTooLarge(limit: maxBodyBytes), response: head)
                    }
                    data.append(contentsOf: buffer.readableBytesView)
                }
            }
            return (data, head)
        }
    }

    private func makeProgressTimer(for request: URLRequest) -> ProgressTimer {
        ProgressTimer(for: request, on: owner.client.eventLoopGroup)
    }

    /// Sends a request, follows redirects, and returns the final response.
    ///
    /// - Returns: The body, or `nil` if the response has none, and the head.
    private func open(
        _ request: URLRequest, _ upload: Upload?, _ progress: ProgressTimer
    ) async throws -> (HTTPClientResponse.Body?, HTTPURLResponse) {
        var (request, upload) = (request, upload)
        var redirectCount = 0
        while true {
            guard let url = request.url, url.isValid else { throw URLError(.badURL) }
            var sent = HTTPClientRequest(url: url.absoluteString)
            sent.method = HTTPMethod(rawValue: try request.checkedMethod())
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                sent.headers.add(name: name, value: value)
            }
            if let user = url.user(percentEncoded: false),
                !sent.headers.contains(name: "Authorization")
            {
                let password = url.password(percentEncoded: false) ?? ""
                sent.setBasicAuth(username: user, password: password)
            }
            if let field = cookieField(for: request) {
                sent.headers.replaceOrAdd(name: "Cookie", value: field)
            }
            sent.body = try .init(of: request, upload, progress)

            progress.reset()
            let response = try await owner.client.execute(
                sent, deadline: .distantFuture, logger: logger)
            progress.reset()

            // A client of the program may have followed redirects itself.
            let isRedirected = response.history.count > 1
            guard !isRedirected || redirects == .follow else {
                throw APIError(
                    .invalidRequest(
                        """
                        its redirect policy needs an HTTPClient whose redirectConfiguration is \
                        .disallow
                        """),
                    request: request)
            }
            let source = isRedirected ? response.url ?? url : url
            let head = try HTTPURLResponse.make(response, source)
            if request.httpShouldHandleCookies {
                cookies?.store(
                    response.headers["Set-Cookie"], from: source, request.mainDocumentURL)
            }
            guard
                let next = try redirects.request(
                    after: head, to: request, redirectCount: redirectCount),
                next.url?.isValid == true
            else {
                let hasBody =
                    sent.method != .HEAD && ![204, 304].contains(head.statusCode)
                    && response.headers.first(name: "Content-Length") != "0"
                guard hasBody else { return (nil, head) }
                // AsyncHTTPClient decodes only the first coding.
                guard response.headers[canonicalForm: "Content-Encoding"].count <= 1 else {
                    throw URLError(.cannotDecodeContentData)
                }
                return (response.body, head)
            }
            // Releasing the body of a redirect closes its connection unless it has arrived completely.
            request = next
            if next.httpMethod != "GET" {
                upload = try upload.map { try Upload($0.body, $0.progress) }
            }
            redirectCount += 1
        }
    }
}

/// Shuts down a client when the last reference is released, because AsyncHTTPClient requires it.
private final class ClientOwner: Sendable {
    let client: HTTPClient
    private let shutsDown: Bool

    init(_ client: HTTPClient, shutsDown: Bool = true) {
        self.client = client
        self.shutsDown = shutsDown
    }

    deinit {
        if shutsDown { client.shutdown { _ in } }
    }
}

// MARK: - Responses

extension HTTPURLResponse {
    /// Creates the head of a response, with repeated header fields joined as by `URLSession`.
    fileprivate static func make(
        _ response: HTTPClientResponse, _ url: URL
    ) throws -> HTTPURLResponse {
        var (names, fields) = ([String: String](), [String: String]())
        for (name, value) in response.headers {
            let key = name.lowercased()
            let name = names[key] ?? name
            names[key] = name
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        guard let status = Int(exactly: response.status.code),
            let head = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "\(response.version)",
                headerFields: fields)
        else { throw URLError(.cannotParseResponse) }
        return head
    }
}

extension HTTPCookieStorage {
    /// Stores the cookies of a response.
    fileprivate func store(_ fields: [String], from url: URL, _ mainDocumentURL: URL?) {
        let cookies = fields.flatMap {
            HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url)
        }
        setCookies(cookies, for: url, mainDocumentURL: mainDocumentURL)
    }
}

/// The chunks of a response, unchecked because only one task at a time reads them.
private final class Chunks: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = Data

    private var body: HTTPClientResponse.Body.AsyncIterator?
    private let timer: ProgressTimer
    // The client must not be shut down before the end of the stream.
    private let owner: ClientOwner

    init(of body: HTTPClientResponse.Body?, _ timer: ProgressTimer, _ owner: ClientOwner) {
        self.body = body?.makeAsyncIterator()
        self.timer = timer
        self.owner = owner
    }

    func makeAsyncIterator() -> Chunks { self }

    func next() async throws -> Data? {
        do {
            return try await timer.run {
                try await self.body?.next().map { Data($0.readableBytesView) }
            }
        } catch {
            // Releasing the body closes its connection.
            body = nil
            throw error
        }
    }
}
