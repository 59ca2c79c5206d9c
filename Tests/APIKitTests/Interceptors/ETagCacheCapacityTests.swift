import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ETagCacheCapacityTests {
    /// A server whose resources are 10,000 bytes each.
    let server = MockServer { _ in .tagged(String(repeating: "x", count: 10_000)) }

    @Test func leastRecentlyUsedResponseIsRemovedFirst() async throws {
        let client = client(ETagCache(capacityInBytes: 25_000))

        // "c" displaces "b", because "a" was used more recently.
        for path in ["a", "b", "a", "c", "a", "c", "b"] { try await load(path, by: client) }

        #expect(server.requests.conditions == [false, false, true, false, true, true, false])
    }

    @Test func cacheStaysWithinCapacity() async throws {
        let client = client(ETagCache(capacityInBytes: 105_000))
        let paths = (0..<50).map { "\($0)" }

        for path in paths { try await load(path, by: client) }
        for path in paths.suffix(10).reversed() { try await load(path, by: client) }

        // An entry takes a little more space than its body, so nine entries fit.
        #expect(server.requests.conditions.suffix(10).filter { $0 }.count == 9)
    }

    @Test(arguments: [
        (9_999, false), (11_000, true), (0, false), (-1, false), (.min, false), (.max, true),
    ])
    func onlyResponseWithinCapacityIsStored(capacity: Int, isStored: Bool) async throws {
        let client = client(ETagCache(capacityInBytes: capacity))

        for _ in 0..<2 { try await load("a", by: client) }

        #expect(server.requests.conditions == [false, isStored])
    }

    @Test func tooLargeResponseRemovesNoOther() async throws {
        let server = MockServer { request in
            .tagged(String(repeating: "x", count: request.path == "/v1/large" ? 99_999 : 1))
        }
        let client = client(ETagCache(capacityInBytes: 10_000), server)

        for path in ["a", "large", "a"] { try await load(path, by: client) }

        #expect(server.requests.last?.isConditional == true)
    }

    @Test func responseWithoutValidatorRemovesNoOther() async throws {
        let server = MockServer { request in
            let text = String(repeating: "x", count: 10_000)
            return request.path == "/v1/a" ? .tagged(text) : .text(text)
        }
        let client = client(ETagCache(capacityInBytes: 25_000), server)

        for path in ["a", "b", "c", "d", "a"] { try await load(path, by: client) }

        #expect(server.requests.last?.isConditional == true)
    }

    @Test(arguments: [(10_000, false), (11_000, true)])
    func headersCountTowardCapacity(capacity: Int, isStored: Bool) async throws {
        let server = MockServer { _ in
            .tagged("").header("X-Large", String(repeating: "x", count: 10_000))
        }
        let client = client(ETagCache(capacityInBytes: capacity), server)

        for _ in 0..<2 { try await load("a", by: client) }

        #expect(server.requests.conditions == [false, isStored])
    }

    @Test func orderOfUseIsKeptThroughManyUses() async throws {
        let client = client(ETagCache(capacityInBytes: 25_000))

        for path in ["a", "b"] { try await load(path, by: client) }
        for _ in 0..<(Stress.isFull ? 1_000 : 20) { try await load("a", by: client) }
        for path in ["c", "a", "b"] { try await load(path, by: client) }

        #expect(server.requests.conditions.suffix(3) == [false, true, false])
    }

    @Test func concurrentCallsReceiveMatchingBodies() async throws {
        let cache = ETagCache(capacityInBytes: 30_000)
        let version = Locked(1)
        let server = MockServer { request in
            if request.method == "POST" {
                version.increment()
                return .status(204)
            }
            let version = version.current
            // Every body names its tag, so that a mismatch is visible.
            let text = "\(request.path) \(version)"
            return .tagged(text + String(repeating: " ", count: 1_000))
                .header("ETag", "\"\(version)\"").header("X-Version", "\(version)")
        }
        let client = client(cache, server)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<(Stress.isFull ? 40 : 12) {
                group.addTask {
                    for number in 0..<(Stress.isFull ? 100 : 20) {
                        let path = "\((worker + number) % 40)"
                        switch (worker * 100 + number) % 80 {
                        case 25: cache.removeAll()
                        case 50: _ = try await client.response(to: post(path))
                        default:
                            let response = try await client.response(to: get(path))
                            let version = try #require(
                                response.http.value(forHTTPHeaderField: "X-Version"))
                            #expect(response.value.hasPrefix("/v1/\(path) \(version) "))
                            #expect(response.statusCode == 200)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for _ in 0..<2 { try await load("0", by: client) }

        let conditions = server.requests.conditions
        #expect(conditions.last == true)
    }

    private func client(_ cache: ETagCache, _ server: MockServer? = nil) -> APIClient {
        .make(transport: server ?? self.server, interceptors: [cache])
    }

    private func load(_ path: String, by client: APIClient) async throws {
        _ = try await client.load(get(path))
    }
}

private func get(_ path: String) -> EchoRequest {
    EchoRequest { try URLRequest(.get, "\(path)") }
}

private func post(_ path: String) -> EchoRequest {
    EchoRequest { try URLRequest(.post, "\(path)") }
}
