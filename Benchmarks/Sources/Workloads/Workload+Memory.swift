import APIKit
import Foundation

extension Workload {
    /// Calls with each interceptor alone, whose memory must not grow.
    ///
    /// The transport responds at once, so that a hundred thousand calls take a second.
    public static let calls =
        [call("no interceptor")] + interceptors.map { call($0, [$1]) } + [
            call("ETagCache", [ETagCache()]),
            call("IdempotencyKey", [IdempotencyKey()], method: .post),
            call("LogObserver", observers: { call in [LogObserver(call, log: { _ in })] }),
        ]

    /// The interceptors that need no particular response.
    static let interceptors: KeyValuePairs<String, any APIInterceptor> = [
        "RequestAdapter": RequestAdapter { _ in },
        "Retry": Retry(),
        "BearerAuthentication": BearerAuthentication(FixedTokens()),
        "Coalescing": Coalescing(),
        "ConcurrencyLimit": ConcurrencyLimit(4),
        "Deadline": Deadline(.seconds(20)),
    ]

    private static func call(
        _ name: String, _ interceptors: [any APIInterceptor] = [], method: HTTPMethod = .get,
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) -> Workload {
        Workload(name) {
            let client = APIClient(
                baseURL: PointsOfInterestRequest.baseURL, transport: FixedResource(),
                interceptors: interceptors, observers: observers)
            return {
                let data = try await client.load(BytesRequest(method: method), with: 5)
                try WrongResult.unless(data == FixedResource.body)
            }
        }
    }
}

/// A transport whose only resource has the entity tag `"1"`.
private struct FixedResource: HTTPTransport {
    static let body = Data("12345".utf8)

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let isKnown = request.value(forHTTPHeaderField: "If-None-Match") == "\"1\""
        let response = HTTPURLResponse(
            url: request.url ?? URL(filePath: "/"), statusCode: isKnown ? 304 : 200,
            httpVersion: nil, headerFields: ["ETag": "\"1\""])
        guard let response else { throw WrongResult() }
        return (isKnown ? Data() : Self.body, response)
    }
}
