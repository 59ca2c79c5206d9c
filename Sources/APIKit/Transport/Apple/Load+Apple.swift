import Foundation

#if !canImport(FoundationNetworking)

/// The session itself makes the tasks of its loads.
typealias TaskMaker = URLSession

extension URLSession {
    var taskMaker: TaskMaker { self }

    func current(for _: URLSession) -> TaskMaker { self }

    /// Runs a closure that makes and starts a task.
    func makingTask(_ work: () -> Void) { work() }

    /// Makes a task whose delegate is the load.
    ///
    /// The system passes every event that a load does not implement, such as a challenge, to the delegate
    /// of the session (https://developer.apple.com/documentation/foundation/urlsessiontask/delegate).
    func makeTask(
        for request: URLRequest, sending upload: URLSessionTransport.Upload?, to load: Load
    ) -> URLSessionTask {
        let task: URLSessionTask =
            switch upload?.source {
            case nil: dataTask(with: request)
            case .data(let data)?: uploadTask(with: request, from: data)
            case .file(let url)?: uploadTask(with: request, fromFile: url)
            }
        task.delegate = load
        return task
    }

    /// Has no effect, because the system limits the time for a resource.
    func startTimer(of _: Load) {}

    /// Has no effect, because the session stores the cookies.
    func storeCookies(of _: URLResponse, for _: Load) {}

    /// Returns `nil`, because a delegate receives only the head of the response itself.
    func hold(on _: URLResponse, to _: URLRequest) -> Load.Hold? { nil }
}

// The events of a task that its delegate receives only on Apple platforms.
extension Load {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest proposal: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        redirect(task, after: response, to: proposal, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        upload?.didSend(Int(clamping: totalBytesSent))
        // An installed mock passes a stand-in session, so pass the transport's session.
        task.report(
            bytesSent: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend, to: [sessionDelegate],
            of: self.session)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // The session may ask after a redirect, because a request has its body then.
        if let upload { return completionHandler(upload.newStream()) }
        if let body = state.withLock(\.request).httpBody {
            return completionHandler(InputStream(data: body))
        }
        let asked: Void? = sessionDelegate?.urlSession?(
            self.session, task: task, needNewBodyStream: completionHandler)
        if asked == nil { completionHandler(nil) }
    }
}

extension URLSessionTransport.Upload {
    /// Returns a stream of the body from its start.
    func newStream() -> InputStream? {
        switch source {
        case .data(let data)?: InputStream(data: data)
        case .file(let url)?: InputStream(url: url)
        case nil: nil
        }
    }
}

/// The user info key under which a mock passes an error through a URL session.
///
/// A session rebuilds the error of a URL protocol from its domain, code and user info.
package let carriedErrorKey = "APIKit.carriedError"

extension Error {
    /// The error that a mock has passed through the session, or this error.
    ///
    /// After the response head, the system reports a connection that ends as a response that it cannot
    /// parse. That is a lost connection, so an idempotent request can be sent again.
    func asOnEveryPlatform(hasHead: Bool, hasSent _: Bool) -> any Error {
        if let carried = (self as NSError).userInfo[carriedErrorKey] as? any Error {
            return carried
        }
        guard hasHead, (self as? URLError)?.code == .cannotParseResponse else { return self }
        return URLError(.networkConnectionLost, userInfo: [NSUnderlyingErrorKey: self])
    }
}

extension HTTPCookieStorage {
    /// Returns the cookies for a URL, in the order in which they are sent.
    package func cookies(sentTo url: URL) -> [HTTPCookie] { cookies(for: url) ?? [] }

    /// Stores and removes cookies, as a field `Set-Cookie` of a response demands.
    package func store(_ field: String, from url: URL) {
        setCookies(
            HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url), for: url,
            mainDocumentURL: nil)
    }
}

extension URLRequest {
    /// The flags that select the network and the cookies of the request.
    var networkFlags: [Bool] {
        [
            allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess,
            httpShouldHandleCookies, assumesHTTP3Capable,
        ]
    }
}

extension URLSessionTask {
    /// Asks the first delegate that implements the method whether to follow a redirect.
    ///
    /// Call it on the delegate queue of the session. `decide` receives the request to send, or `nil`
    /// if the redirect is the response.
    package func ask(
        _ delegates: [(any URLSessionTaskDelegate)?], of session: URLSession,
        toFollow request: URLRequest, after response: HTTPURLResponse,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        for case let delegate? in delegates {
            let asked: Void? = delegate.urlSession?(
                session, task: self, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: decide)
            if asked != nil { return }
        }
        decide(request)
    }

    /// Reports a step of sending the body to the first delegate that implements the method.
    ///
    /// Call it on the delegate queue of the session.
    package func report(
        bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64,
        to delegates: [(any URLSessionTaskDelegate)?], of session: URLSession
    ) {
        for case let delegate? in delegates {
            let reported: Void? = delegate.urlSession?(
                session, task: self, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
            if reported != nil { return }
        }
    }
}

#endif
