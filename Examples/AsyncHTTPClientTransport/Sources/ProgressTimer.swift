import APIKit
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// Runs the steps of a request, and cancels a step that makes no progress for the request's timeout.
final class ProgressTimer: Sendable {
    private struct State {
        var deadline = NIODeadline.distantFuture
        var timer: Scheduled<Void>?
        var isRunning = false
        var hasExpired = false
    }

    private let url: URL?
    private let timeout: TimeAmount?
    private let group: any EventLoopGroup
    private let eventLoop: any EventLoop
    private let lock = NSLock()
    // Used only under the lock.
    private nonisolated(unsafe) var state = State()

    init(for request: URLRequest, on group: any EventLoopGroup) {
        url = request.url
        // Larger intervals overflow a `NIODeadline`.
        let seconds = request.timeoutInterval
        timeout = seconds > 0 && seconds < 1e9 ? .nanoseconds(Int64(seconds * 1e9)) : nil
        self.group = group
        eventLoop = group.any()
    }

    /// Restarts the timeout, because the request has made progress.
    func reset() {
        guard let timeout else { return }
        lock.withLock { state.deadline = .now() + timeout }
    }

    /// Waits until each event loop has done the work that it had received before.
    ///
    /// The client asks for the next chunk of an upload before it has written the last one, even if
    /// the connection is full. Without a wait, the progress would be ahead of the connection.
    func waitForEventLoops() async throws {
        let turns = group.makeIterator().map { $0.submit {} }
        try await EventLoopFuture.andAllSucceed(turns, on: eventLoop).get()
    }

    /// Runs a step, and converts its errors to errors of `URLSession`.
    func run<Value: Sendable>(
        _ step: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // In a separate task, which the timer can cancel.
        let task = Task(operation: step)
        start { task.cancel() }
        defer { stop() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            let hasExpired = lock.withLock { state.hasExpired }
            throw (hasExpired ? URLError(.timedOut) : error).asURLError(url)
        }
    }

    private func start(_ cancel: @escaping @Sendable () -> Void) {
        guard timeout != nil else { return }
        reset()
        lock.withLock { state.isRunning = true }
        check(cancel)
    }

    private func stop() {
        lock.withLock {
            state.isRunning = false
            state.timer?.cancel()
        }
    }

    private func check(_ cancel: @escaping @Sendable () -> Void) {
        let hasExpired = lock.withLock {
            guard state.isRunning else { return false }
            state.hasExpired = state.deadline <= .now()
            if !state.hasExpired {
                state.timer = eventLoop.scheduleTask(deadline: state.deadline) {
                    self.check(cancel)
                }
            }
            return state.hasExpired
        }
        if hasExpired { cancel() }
    }
}

extension Error {
    /// Returns the `URLError` or `APIError` for this error of a request to a URL.
    fileprivate func asURLError(_ url: URL?) -> any Error {
        if self is APIError { return self }
        if self as? HTTPClientError == .alreadyShutdown {
            return APIError(.invalidRequest("its HTTPClient has been shut down"), underlying: self)
        }
        var userInfo: [String: Any] = [:]
        userInfo[NSURLErrorFailingURLErrorKey] = url
        if !(self is URLError) {
            userInfo[NSLocalizedDescriptionKey] = "\(withoutSecrets)"
            userInfo[NSUnderlyingErrorKey] = withoutSecrets
        }
        return URLError(urlErrorCode, userInfo: userInfo)
    }

    /// The error, without the values of header fields.
    private var withoutSecrets: any Error {
        let invalid = HTTPClientError.invalidHeaderFieldValues([])
        let isInvalid = (self as? HTTPClientError)?.shortDescription == invalid.shortDescription
        return isInvalid ? invalid : self
    }

    /// The code of `URLSession` for the error.
    private var urlErrorCode: URLError.Code {
        switch self {
        case let error as URLError: error.code
        case let error as HTTPClientError: error.urlErrorCode
        case let error as HTTPParserError: error.urlErrorCode
        case let error as NIOConnectionError:
            error.connectionErrors.isEmpty ? .cannotFindHost : .cannotConnectToHost
        case let error as IOError:
            switch error.errnoCode {
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH: .cannotConnectToHost
            case ETIMEDOUT: .timedOut
            default: .networkConnectionLost
            }
        case let error as ChannelError:
            if case .connectTimeout = error { .timedOut } else { .networkConnectionLost }
        case is NIOHTTPDecompression.DecompressionError,
            is NIOHTTPDecompression.ExtraDecompressionError:
            .cannotDecodeContentData
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            .serverCertificateUntrusted
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            "\(self)".contains("CERTIFICATE_VERIFY_FAILED")
                ? .serverCertificateUntrusted : .secureConnectionFailed
        default: .networkConnectionLost
        }
    }
}

extension HTTPClientError {
    fileprivate var urlErrorCode: URLError.Code {
        switch self {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
            .httpProxyHandshakeTimeout, .socksHandshakeTimeout, .getConnectionFromPoolTimeout:
            .timedOut
        case .remoteConnectionClosed, .requestStreamCancelled: .networkConnectionLost
        case .invalidProxyResponse, .proxyAuthenticationRequired: .cannotConnectToHost
        case .cancelled: .cancelled
        case .redirectLimitReached, .redirectCycleDetected: .httpTooManyRedirects
        case .invalidURL, .emptyHost: .badURL
        case .emptyScheme: .unsupportedURL
        default: shortDescription.contains("scheme") ? .unsupportedURL : .unknown
        }
    }
}

extension HTTPParserError {
    fileprivate var urlErrorCode: URLError.Code {
        switch self {
        case .invalidEOFState, .closedConnection: .networkConnectionLost
        case .invalidChunkSize: .cannotDecodeRawData
        default: .cannotParseResponse
        }
    }
}
