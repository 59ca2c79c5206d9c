import APIKit
import Foundation

/// A delegate that decides about redirects with a closure.
final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let decide: @Sendable (URLRequest) async -> URLRequest?

    init(decide: @escaping @Sendable (URLRequest) async -> URLRequest?) { self.decide = decide }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        Task { [decide] in completionHandler(await decide(request)) }
    }
}
