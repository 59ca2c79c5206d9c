import APIKit
import Foundation

/// A delegate that decides about redirects with a closure.
final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let decide: @Sendable (URLRequest) async -> URLRequest?
    private let then: @Sendable () -> Void

    init(
        decide: @escaping @Sendable (URLRequest) async -> URLRequest?,
        then: @escaping @Sendable () -> Void = {}
    ) {
        self.decide = decide
        self.then = then
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        Task { [decide, then] in
            completionHandler(await decide(request))
            then()
        }
    }
}
