import APIKit
import APIKitTesting
import Foundation

extension APIClient {
    /// A client of a server that does not exist, of which a test says only what it is about.
    static func make(
        baseURL: URL? = URL(string: "https://api.example.com/v1"),
        headers: [String: String] = [:],
        transport: any HTTPTransport = MockServer { _ in .text("ok") },
        interceptors: [any APIInterceptor] = [],
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) -> APIClient {
        APIClient(
            baseURL: baseURL, headers: headers, transport: transport, interceptors: interceptors,
            observers: observers)
    }
}
