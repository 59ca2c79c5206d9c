import Foundation

/// One of the requests that a call is sent as, with the observers to notify.
struct Attempt: Sendable {
    private let number: Int
    private let count: Locked<Int>
    private let observers: [any APIObserver]

    /// Creates the next of the attempts that are counted.
    init(counting count: Locked<Int>, observers: [any APIObserver]) {
        self.count = count
        self.observers = observers
        number = count.withLock { count in
            count += 1
            return count
        }
    }

    /// Returns the one that follows, for a request that is sent in place of this one.
    func next() -> Attempt { Attempt(counting: count, observers: observers) }

    /// Tells of the request that is handed to the transport.
    func sent(_ request: URLRequest) {
        for observer in observers { observer.requestSent(request, attempt: number) }
    }

    /// Tells of the response.
    func received<Body: Sendable>(_ response: APIResponse<Body>) {
        for observer in observers { observer.responseReceived(response, attempt: number) }
    }
}
