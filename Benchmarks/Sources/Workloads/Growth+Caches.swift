import APIKit
import Foundation

extension Comparison {
    static let growthOfCaches =
        linear("ETagCache, storing", each: "entry") { count in
            return {
                let cache = ETagCache(capacityInBytes: 1_000_000_000)
                for number in 0..<count { try await cache.load("/\(number)") }
            }
        }
        + flat("ETagCache, revalidating", with: "entry", repetitions: 100) { count in
            let cache = ETagCache(capacityInBytes: 1_000_000_000)
            for number in 0..<count { try await cache.load("/\(number)") }
            return {
                for index in 0..<100 { try await cache.load("/\(index * count / 100)", 304) }
            }
        }
        + flat("ETagCache, replacing the oldest", with: "entry", repetitions: 100) { count in
            // Each entry takes between 500 and 1,000 bytes.
            let cache = ETagCache(capacityInBytes: 1_000 * count)
            for number in 0..<(2 * count) { try await cache.load("/old/\(number)") }
            return {
                for _ in 0..<100 { try await cache.load("/\(UUID())") }
            }
        }
        + flat("ETagCache, storing another", with: "variant", repetitions: 100) { count in
            let cache = ETagCache(capacityInBytes: 1_000_000_000)
            for _ in 0..<count { try await cache.load("/", id: UUID()) }
            return {
                for _ in 0..<100 { try await cache.load("/", id: UUID()) }
            }
        }
}

extension ETagCache {
    /// Loads a response that varies by a request ID.
    fileprivate func load(_ path: String, id: UUID? = nil, _ status: Int = 200) async throws {
        let call = try APICall(
            to: "https://a.example\(path)", ["X-Request-ID": id?.uuidString ?? "none"])
        let response = try await intercept(call) {
            try $0.respond(status, ["ETag": "\"1\"", "Vary": "X-Request-ID"])
        }
        try WrongResult.unless(response.statusCode == 200)
    }
}
