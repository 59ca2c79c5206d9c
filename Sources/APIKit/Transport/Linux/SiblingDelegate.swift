import Foundation

#if canImport(FoundationNetworking)

/// The delegate of a sibling session, which passes the events of each task to its load.
///
/// On Linux these events reach only the delegate of the session. All others reach the load itself, as
/// the delegate of the task.
final class SiblingDelegate: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        dataTask.load?.urlSession(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        dataTask.load?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        task.load?.upload?.didSend(Int(totalBytesSent))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let load = task.load else { return }
        // Delegates never receive a redirect without a `Location`, but the head of a proxy before it.
        let isRedirect = load.state.withLock {
            $0.task === task && ($0.response == nil || $0.hold == .untilBody)
        }
        if error == nil, isRedirect {
            // The body of a 401, after which the system has logged in, may be there.
            load.body.removeAll()
            load.body.append(task.redirectBody)
        }
        load.urlSession(session, task: task, didCompleteWithError: error)
    }
}

extension URLSessionTask {
    fileprivate var load: Load? { delegate as? Load }

    /// The body of a redirect without a `Location`, which delegates never receive.
    ///
    /// It is empty if a later version of the system stores the body elsewhere.
    fileprivate var redirectBody: Data {
        Reflection.property("_protocolStorage", of: self)
            .flatMap { Mirror(reflecting: $0).children.first?.value }
            .flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }
}

#endif
