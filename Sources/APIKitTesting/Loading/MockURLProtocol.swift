import APIKit
import Foundation

/// A URL protocol that responds to requests from a test instead of the network.
///
/// Add the class to a configuration, and set ``requestHandler``:
///
/// ```swift
/// let configuration = URLSessionConfiguration.ephemeral
/// configuration.protocolClasses = [MockURLProtocol.self]
/// MockURLProtocol.requestHandler = { request in (HTTPURLResponse(), data) }
/// ```
///
/// The process has one handler, so tests that use it must not run at the same time. ``MockServer``
/// has no such limit.
///
/// On watchOS a session asks no custom protocol, so its requests reach the network. There, use a
/// ``MockServer`` as the transport of a client.
///
/// ### Errors on Apple platforms
///
/// On every platform, `send(_:)` and `stream(_:)` of APIKit throw the error of a handler or a route
/// unchanged. A client's `APIError` has that error as `underlying`. The system's functions, such as
/// `data(for:)`, throw a `URLError` unchanged. On Apple platforms they replace any other error with
/// an `NSError` of the same domain, code and user info, so `as? MyError` is `nil`. Compare the
/// domain and the code, or the `localizedDescription`.
open class MockURLProtocol: URLProtocol {
    // A struct, because each access to a bare closure in generic storage adds a wrapper, and many
    // wrappers overflow the stack.
    private struct Handler {
        var respond: (@Sendable (URLRequest) throws -> (HTTPURLResponse, Data))?
    }

    private static let handler = Locked(Handler())

    /// The closure that responds to every request of every session with this class.
    ///
    /// The closure runs on a background thread. It receives the body of the request in `httpBody`,
    /// however the body was sent. An error that it throws is the error of the load. In Swift 5 mode,
    /// the compiler accepts a closure that uses the main actor, although it never runs there.
    ///
    /// A request without a handler fails with an error that names its URL. The request also fails
    /// the running test of XCTest. In Swift Testing, it fails the run, because the loading system
    /// does not know the test. ``MockServer`` fails its test in both.
    ///
    /// Reading and setting the property is safe from any thread.
    @preconcurrency
    public static var requestHandler: (@Sendable (URLRequest) throws -> (HTTPURLResponse, Data))? {
        get { handler.withLock { $0.respond } }
        set { handler.withLock { $0.respond = newValue } }
    }

    private var delivery: Delivery?

    /// Returns `true` for every request, so that none reaches the network where the system asks.
    ///
    /// To mock only some requests, override this method in a subclass. It is also called for tasks.
    override open class func canInit(with request: URLRequest) -> Bool { true }

    /// Calls `canInit(with:)` with the task's current request.
    ///
    /// Only Apple platforms call this method. Linux calls `canInit(with:)` with the request.
    override open class func canInit(with task: URLSessionTask) -> Bool {
        (task.currentRequest ?? task.originalRequest).map(canInit(with:)) ?? true
    }

    /// Returns the request unchanged.
    override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts the load, or continues it after the task was suspended.
    override open func startLoading() {
        if let delivery { return delivery.deliver() }
        let delivery = Delivery(for: self)
        self.delivery = delivery
        // A task may be canceled before its load starts.
        if task?.hasEnded == true { return }
        let body = RequestBody(of: self)
        let request = body.framed(request)
        guard let data = body.data else {
            // Reading a file or a stream would block the loading thread.
            return delivery.run { [type = type(of: self)] in
                let body = try await body.read()
                delivery.send(try type.start(request, body: body, on: delivery))
            }
        }
        do {
            delivery.deliver(try Self.start(request, body: data, on: delivery))
        } catch {
            delivery.deliver([.failed(error)])
        }
    }

    /// Stops the load, unless the task is only suspended.
    override open func stopLoading() {
        delivery?.stopLoading()
    }

    /// Responds to a request, unless the system refuses it.
    private class func start(
        _ request: URLRequest, body: Data, on delivery: Delivery
    ) throws -> [LoadingEvent] {
        // A URL session sends no GET with a body. It fails with this error.
        guard request.method != .get || body.isEmpty else {
            throw URLError(.dataLengthExceedsMaximum)
        }
        return try respond(to: request, body: body, on: delivery)
    }

    /// Passes a request to the handler.
    ///
    /// - Returns: The events of an immediate response, or none if the delivery receives them later.
    class func respond(
        to request: URLRequest, body: Data, on delivery: Delivery
    ) throws -> [LoadingEvent] {
        guard let url = request.url else { throw URLError(.badURL) }
        guard let handler = requestHandler else {
            let error = MockLoadingError.handlerIsMissing(url)
            TestFailure(error.description, at: nil).report()
            throw error
        }
        var request = request
        if !body.isEmpty { request.httpBody = body }
        // The handler may block, and on Linux all sessions share the loading thread.
        Blocking.start { [request] in
            do {
                let (response, data) = try handler(request)
                let ok = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
                let head = response.isBare ? ok ?? response : response
                delivery.send([.response(head), .body(data), .finished])
            } catch {
                delivery.send([.failed(error)])
            }
        }
        return []
    }
}

extension URLSessionConfiguration {
    /// Sets the cookies of a request, in place of those for the request before a redirect.
    ///
    /// The new URL has other cookies, and the response may have changed the storage. Cookies that the
    /// redirect itself has set stay if the storage has none.
    func updateCookies(of request: inout URLRequest, insteadOf old: String?) {
        let new = cookies(for: request)
        guard new != nil || request.value(forHTTPHeaderField: "Cookie") == old else { return }
        request.setValue(new, forHTTPHeaderField: "Cookie")
    }
}
