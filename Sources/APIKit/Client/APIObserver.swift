import Foundation

/// A type that observes one call, such as a logger.
///
/// The client creates the observers of each call, so an observer can keep the state of its call.
/// The methods are called in order, on any thread. The call waits for each of them, so return
/// quickly. Every method has a default implementation that does nothing.
///
/// A call starts once its request is complete. So observers receive neither errors of
/// `makeRequest` nor those of a URL or a header field that cannot be sent. Every call that starts
/// ends with exactly one of ``callSucceeded(with:)`` and ``callFailed(with:)``.
public protocol APIObserver: Sendable {
    /// Called when the call starts.
    func callStarted()

    /// Called when a request is passed to the transport.
    ///
    /// - Parameters:
    ///   - request: The request as sent, with the changes of all interceptors.
    ///   - attempt: The number of the request within the call, from 1.
    func requestSent(_ request: URLRequest, attempt: Int)

    /// Called when a response of any status arrives.
    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int)

    /// Called when the call succeeds: its response is accepted and parsed.
    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>)

    /// Called when the call fails. The error of a canceled call is `CancellationError`.
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
