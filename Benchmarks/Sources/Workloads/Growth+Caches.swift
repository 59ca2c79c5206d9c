import APIKit
import Foundation

extension Comparison {
    static let growthOfCaches =
        linear("ETagCache, storing", each: "entry") { count in
            return {
                let cache = ETagCache(capacityInBytes: 1_000_000_000)
                let areLoaded = try await all(count) { try await cache.load("/\($0)") }
                let isStored = try await cache.load("/0", 304)
                return areLoaded && isStored
            }
        }
        + flat("ETagCache, revalidating", with: "entry", repetitions: 100) { count in
            let cache = ETagCache(capacityInBytes: 1_000_000_000)
            _ = try await all(count) { try await cache.load("/\($0)") }
            return {
                try await all(100) { try await cache.load("/\($0 * count / 100)", 304) }
            }
        }
        + flat("ETagCache, replacing the oldest", with: "entry", repetitions: 100) { count in
            // Each entry takes between 500 and 1,000 bytes.
            let cache = ETagCache(capacityInBytes: 1_000 * count)
            _ = try await all(2 * count) { try await cache.load("/old/\($0)") }
            return {
                try await all(100) { _ in try await cache.load("/\(UUID())") }
            }
        }
}

extension ETagCache {
    /// Loads a response with an entity tag, and returns whether it is a 200.
    fileprivate func load(_ path: String, _ status: Int = 200) async throws -> Bool {
        let call = try APICall(to: "https://a.example\(path)")
        let response = try await intercept(call) { try $0.respond(status, ["ETag": "\"1\""]) }
        return response.statusCode == 200
    }
}
