import APIKit
import Foundation

/// A URL protocol that answers requests from a test instead of the network.
///
/// In its classic form it is put into a configuration, and ``requestHandler`` answers:
///
/// ```swift
/// let configuration = URLSessionConfiguration.ephemeral
/// configuration.protocolClasses = [MockURLProtocol.self]
/// MockURLProtocol.requestHandler = { request in (HTTPURLResponse(), data) }
/// ```
///
/// The handler is one for the whole process, so tests that use it must not run at the same time.
/// ``MockServer`` has no such limit.
open class MockURLProtocol: URLProtocol {
    private static let handler = Locked<
        (@Sendable (URLRequest) throws -> (HTTPURLResponse, Data))?
    >(nil)

    /// The closure that answers every request of every session with this class.
    ///
    /// It is called on a background thread, with the body of the request in `httpBody`, however it
    /// was sent. What it throws is thrown to whoever loads. Without a handler a request fails with
    /// an error that names it. Reading and setting is safe from any thread.
    @preconcurrency
    public static var requestHandler: (@Sendable (URLRequest) throws -> (HTTPURLResponse, Data))? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    private var delivery: Delivery?

    /// Takes every request, so that none falls through to the network.
    override open class func canInit(with request: URLRequest) -> Bool { true }

    /// Takes every task, so that none falls through to the network.
    override open class func canInit(with task: URLSessionTask) -> Bool { true }

    /// Leaves the request as it is.
    override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts to answer, or goes on where the task was suspended.
    override open func startLoading() {
        if let delivery { return delivery.resume() }
        let delivery = Delivery(for: self)
        self.delivery = delivery
        guard delivery.isWanted else { return }
        if let error = Platform.refusal(of: task) { return delivery.deliver([.failed(error)]) }

        let load = MockLoad(request, by: type(of: self))
        let body = Platform.body(of: self)
        if case .data(let data) = body {
            load.start(body: data, on: delivery, isOnLoadingThread: true)
        } else {
            // Reading may take as long as whoever writes, and this is the thread of all sessions.
            delivery.run {
                do {
                    load.start(body: try await body.read(), on: delivery, isOnLoadingThread: false)
                } catch {
                    delivery.send([.failed(error)])
                }
            }
        }
    }

    /// Stops answering.
    override open func stopLoading() {
        guard Platform.isEnding(task) else { return }
        delivery?.stop()
    }
}
