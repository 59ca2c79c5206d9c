import APIKit
import Foundation

extension Comparison {
    static let interceptors =
        [
            Comparison(
                .load(
                    "five interceptors and an observer that do nothing",
                    Array(repeating: PassThrough(), count: 5), [SilentObserver()]),
                to: .load, aim: 1.1)
        ] + Workload.interceptors.map { Comparison(.load($0, [$1]), to: .load, aim: goals[$0]) } + [
            Comparison(
                .load("ETagCache, status 304", by: UnchangingURLProtocol.self, [ETagCache()]),
                to: .load("status 200 with an ETag", by: UnchangingURLProtocol.self), aim: 1.15),
            Comparison(
                .load("LogObserver", observers: { call in [LogObserver(call, log: { _ in })] }),
                to: .load, aim: 1.1),
            Comparison(
                .load(
                    "Deadline, Retry, BearerAuthentication, Coalescing, ConcurrencyLimit",
                    [
                        Deadline(.seconds(20)), Retry(), BearerAuthentication(FixedTokens()),
                        Coalescing(),
                        ConcurrencyLimit(4),
                    ]),
                to: .load, aim: 1.4),
        ]

    private static let goals = [
        "RequestAdapter": 1.1, "Retry": 1.1, "Coalescing": 1.2, "ConcurrencyLimit": 1.1,
        "Deadline": 1.2,
    ]
}

extension Workload {
    fileprivate static func load(
        _ name: String, _ interceptors: [any APIInterceptor], _ observers: [any APIObserver]
    ) -> Workload {
        load(name, interceptors, observers: { _ in observers })
    }

    /// Returns the workload ``load`` with interceptors and observers.
    fileprivate static func load(
        _ name: String,
        by urlProtocol: URLProtocol.Type = MinimalURLProtocol.self,
        _ interceptors: [any APIInterceptor] = [],
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) -> Workload {
        Workload("client.load, \(name)") {
            let client = APIClient(
                baseURL: PointsOfInterestRequest.baseURL, transport: URLSession.bare(urlProtocol),
                interceptors: interceptors, observers: observers)
            return {
                let points = try await client.load(PointsOfInterestRequest(), with: .sanJose)
                try WrongResult.unless(points.count == 10)
            }
        }
    }
}

private struct PassThrough: APIInterceptor {
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        try await next(call)
    }
}

struct SilentObserver: APIObserver {}

actor FixedTokens: TokenProvider {
    func token() -> String? { "0123456789abcdef" }
}
