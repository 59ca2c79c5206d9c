import Foundation

/// One of the requests that a call is sent as, and who hears of it.
struct Attempt: Sendable {
    let number: Int
    let observers: [any APIObserver]

    /// Tells of the request that is handed to the transport.
    func sent(_ request: URLRequest) {
        for observer in observers { observer.requestSent(request, attempt: number) }
    }

    /// Tells of the response.
    func received<Body: Sendable>(_ response: APIResponse<Body>) {
        for observer in observers { observer.responseReceived(response, attempt: number) }
    }
}
