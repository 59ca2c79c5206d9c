import Foundation

/// An observer of one call.
///
/// A client makes new observers for each call, so an observer holds the state of one call. The
/// methods are called in order, on any thread. The call waits for them, so they should be quick. All
/// of them have a default that does nothing.
///
/// A call starts after its request has been made, so observers do not receive an error of
/// `makeRequest`. Each call that starts ends with exactly one of ``callSucceeded(with:)`` and
/// ``callFailed(with:)``.
public protocol APIObserver: Sendable {
    /// The call starts.
    func callStarted()

    /// The transport receives a request.
    ///
    /// - Parameters:
    ///   - request: The request with all changes of the interceptors.
    ///   - attempt: The number of the request in the call, from 1.
    func requestSent(_ request: URLRequest, attempt: Int)

    /// A response with any status arrived.
    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int)

    /// The call succeeded: its response was accepted and parsed.
    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>)

    /// The call failed, or was canceled if the error is a `CancellationError`.
    func callFailed(with error: any Error)
}

extension APIObserver {
    /// Does nothing.
    public func callStarted() {}
    /// Does nothing.
    public func requestSent(_ request: URLRequest, attempt: Int) {}
    /// Does nothing.
    public func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {}
    /// Does nothing.
    public func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {}
    /// Does nothing.
    public func callFailed(with error: any Error) {}
}
