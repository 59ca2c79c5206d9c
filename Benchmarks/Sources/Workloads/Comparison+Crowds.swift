import APIKit
import Foundation

extension Comparison {
    /// Work whose cost for one call must not grow with the number of other calls.
    static let crowds = [1_000, 10_000].flatMap { size in
        [
            Comparison(.cancelling(size), to: .cancelling(100), aim: 1.5),
            Comparison(.passing(size), to: .passing(100), aim: 1.5),
            Comparison(.loadingVariant(after: size), to: .loadingVariant(after: 100), aim: 1.5),
        ]
    }
}

extension Workload {
    /// Cancels 10,000 calls that wait in a limit, `size` at a time.
    fileprivate static func cancelling(_ size: Int) -> Workload {
        Workload("ConcurrencyLimit, canceling \(size) waiting calls", count: 10_000) {
            let limit = ConcurrencyLimit(1)
            let first = await limit.hold(1)
            return run(keeping: first) {
                for _ in 0..<(10_000 / size) {
                    for call in await limit.hold(size) {
                        call.cancel()
                        if case .success = await call.result { throw WrongResult() }
                    }
                }
            }
        }
    }

    /// Sends a call to one host while `size` calls wait for another host.
    fileprivate static func passing(_ size: Int) -> Workload {
        Workload("ConcurrencyLimit, passing \(size) waiting calls") {
            let limit = ConcurrencyLimit(2, perHost: 1)
            let waiting = await limit.hold(size)
            let call = try APICall(to: "https://b.example")
            return run(keeping: waiting) {
                let response = try await limit.intercept(call) { try $0.respond() }
                try WrongResult.unless(response.statusCode == 200)
            }
        }
    }

    /// Loads another variant of a response that varies by a header field.
    fileprivate static func loadingVariant(after size: Int) -> Workload {
        Workload("ETagCache, one more variant after \(size)") {
            let cache = ETagCache(capacityInBytes: 1_000_000_000)
            @Sendable func load() async throws {
                var call = try APICall(to: "https://a.example")
                call.request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
                let response = try await cache.intercept(call) { try $0.respond() }
                try WrongResult.unless(response.statusCode == 200)
            }
            for _ in 0..<size { try await load() }
            return { try await load() }
        }
    }
}

extension ConcurrencyLimit {
    /// Starts calls that hold a permit, or wait for one, until they are canceled.
    fileprivate func hold(_ count: Int) async -> [Task<Void, any Error>] {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let calls = (0..<count).map { _ in
            Task {
                arrival.yield()
                _ = try await intercept(APICall(to: "https://a.example")) { call in
                    try await Task.sleep(for: .seconds(1_000_000))
                    return try call.respond()
                }
            }
        }
        var iterator = arrivals.makeAsyncIterator()
        for _ in calls { await iterator.next() }
        return calls
    }
}

extension APICall {
    fileprivate init(to url: String) throws {
        guard let url = URL(string: url) else { throw WrongResult() }
        self.init(request: URLRequest(url: url), apiRequest: PointsOfInterestRequest())
    }

    /// An empty response that varies by a request ID.
    fileprivate func respond() throws -> APIResponse<Data> {
        guard let url = request.url,
            let http = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["ETag": "\"1\"", "Vary": "X-Request-ID"])
        else { throw WrongResult() }
        return APIResponse(value: Data(), http: http)
    }
}
