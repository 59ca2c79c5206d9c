import Foundation

/// A listener to one call.
///
/// A client makes its observers anew for each call, so what one keeps is the state of that call
/// alone. The methods are called in order, from whichever thread the call is on, and a call waits
/// for them: they should be quick. All of them have a default that does nothing.
///
/// A call begins once its request has been made, so an error of `makeRequest` is not observed.
/// Every call that begins ends with exactly one of ``callSucceeded(with:)`` and
/// ``callFailed(with:)``.
public protocol APIObserver: Sendable {
    /// Tells that the call begins.
    func callStarted()

    /// Tells that a request is handed to the transport.
    ///
    /// - Parameters:
    ///   - request: The request as sent, with everything that interceptors added.
    ///   - attempt: 1 for the first request of the call, and one more for each further one.
    func requestSent(_ request: URLRequest, attempt: Int)

    /// Tells that a response arrived, of any status.
    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int)

    /// Tells that the call succeeded: its response was accepted and parsed.
    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>)

    /// Tells that the call failed, or was cancelled if the error is a `CancellationError`.
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
