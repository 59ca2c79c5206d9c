import APIKit
import Foundation

/// A delegate that decides about redirects.
final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let decide: @Sendable (URLRequest) -> URLRequest?

    init(_ decide: @escaping @Sendable (URLRequest) -> URLRequest?) {
        self.decide = decide
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(decide(request))
    }
}

extension ChallengeDelegate {
    /// A delegate that logs in as Ada once, and then lets the challenge fail.
    convenience init(password: String) {
        self.init { challenge in
            guard challenge.previousFailureCount == 0 else {
                return (.performDefaultHandling, nil)
            }
            return (
                .useCredential, URLCredential(user: "ada", password: password, persistence: .none)
            )
        }
    }
}

/// A delegate that records the events of its tasks, and the end of its session.
final class EventDelegate: NSObject, URLSessionDataDelegate {
    let events = Locked<[String]>([])
    let isInvalid = Locked(false)
    let invalidated = Waiter<Void>()

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.append("data")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        events.append("completed")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        isInvalid.set(true)
        invalidated.signal()
    }
}
