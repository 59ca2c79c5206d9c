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
        var deadline = ContinuousClock.now
        /// Cancels the running step.
        var cancel: (@Sendable () -> Void)?
        var hasExpired = false
    }

    private let url: URL?
    private let timeout: Duration?
    private let group: any EventLoopGroup
    private let lock = NSLock()
    // Used only under the lock.
    private nonisolated(unsafe) var state = State()

    /// The end of the timeout, which progress moves.
    var deadline: ContinuousClock.Instant { lock.withLock { state.deadline } }

    init(for request: URLRequest, on group: any EventLoopGroup) {
        url = request.url
        // Larger intervals overflow a clock.
        let seconds = request.timeoutInterval
        timeout = seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
        self.group = group
    }

    /// Restarts the timeout, because the request has made progress.
    func reset() {
        guard let timeout else { return }
        let deadline = ContinuousClock.now + timeout
        lock.withLock { state.deadline = deadline }
    }

    /// Waits until each event loop has done the work that it had received before.
    ///
    /// The client asks for the next chunk of an upload before it has written the last one, even if
    /// the connection is full. Without a wait, the progress would be ahead of the connection.
    func waitForEventLoops() async throws {
        let turns = group.makeIterator().map { $0.submit {} }
        try await EventLoopFuture.andAllSucceed(turns, on: group.any()).get()
    }

    /// Runs a step, and converts its errors to errors of `URLSession`.
    func run<Value: Sendable>(
        _ step: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        reset()
        // In a separate task, which the timer can cancel.
        let task = Task.onThisThread(step)
        if timeout != nil {
            lock.withLock { state.cancel = { task.cancel() } }
            SharedTimer.instance.add(self)
        }
        defer { if timeout != nil { SharedTimer.instance.remove(self) } }
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

    /// Cancels the running step.
    func expire() {
        let cancel = lock.withLock {
            state.hasExpired = true
            return state.cancel
        }
        cancel?()
    }
}

/// The timer of all requests, which sleeps once for all of them.
///
/// A timer of an event loop would wake its thread at the start and the end of each step. Most timeouts
/// move before they end, so a sleep that has ended looks for the next one, but not more often than ten
/// times a second.
private final class SharedTimer: Sendable {
    static let instance = SharedTimer()

    private struct State {
        var timers: [ObjectIdentifier: ProgressTimer] = [:]
        var sleep: (end: ContinuousClock.Instant, task: Task<Void, any Error>)?
    }

    private let lock = NSLock()
    // Used only under the lock.
    private nonisolated(unsafe) var state = State()

    func add(_ timer: ProgressTimer) {
        let deadline = timer.deadline
        lock.withLock {
            state.timers[ObjectIdentifier(timer)] = timer
            if state.sleep.map({ deadline < $0.end }) ?? true { sleep(until: deadline) }
        }
    }

    func remove(_ timer: ProgressTimer) {
        _ = lock.withLock { state.timers.removeValue(forKey: ObjectIdentifier(timer)) }
    }

    /// Starts a sleep in place of the current one, under the lock.
    private func sleep(until end: ContinuousClock.Instant) {
        state.sleep?.task.cancel()
        let task = Task.detached { [self] in
            try await Task.sleep(until: end, tolerance: .zero, clock: .continuous)
            check(end)
        }
        state.sleep = (end, task)
    }

    private func check(_ end: ContinuousClock.Instant) {
        let due = lock.withLock {
            // Another sleep has replaced this one at its end.
            guard state.sleep?.end == end else { return [ProgressTimer]() }
            state.sleep = nil
            let now = ContinuousClock.now
            var (due, next) = ([ProgressTimer](), ContinuousClock.Instant?.none)
            for timer in state.timers.values {
                let deadline = timer.deadline
                if deadline <= now {
                    due.append(timer)
                } else {
                    next = min(next ?? deadline, deadline)
                }
            }
            for timer in due { state.timers[ObjectIdentifier(timer)] = nil }
            if let next { sleep(until: max(next, now + .milliseconds(100))) }
            return due
        }
        for timer in due { timer.expire() }
    }
}

extension Task where Failure == any Error {
    /// Starts an operation without another thread until it first waits, where the system can.
    fileprivate static func onThisThread(
        _ operation: @escaping @Sendable () async throws -> Success
    ) -> Task {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return .immediate(operation: operation)
        }
        return Task(operation: operation)
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
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: "\(self)".codeOfTLS
        default: .networkConnectionLost
        }
    }
}

extension String {
    /// The code for an error of the TLS library.
    fileprivate var codeOfTLS: URLError.Code {
        if contains("CERTIFICATE_VERIFY_FAILED") { return .serverCertificateUntrusted }
        return contains("CERTIFICATE_REQUIRED")
            ? .clientCertificateRequired : .secureConnectionFailed
    }
}

extension HTTPClientError {
    fileprivate var urlErrorCode: URLError.Code {
        switch self {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
            .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .timedOut
        // The pool was full, so the request was not sent, and `Retry` may repeat it.
        case .getConnectionFromPoolTimeout: .cannotConnectToHost
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
