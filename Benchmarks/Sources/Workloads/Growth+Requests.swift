import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let growthOfRequests =
        linear("MockServer.send, new server", each: "request") { count in
            let requests = try requests(count)
            return {
                let server = MockServer()
                server.on(.any)
                return try await all(count) { try await server.responds(to: requests[$0]) }
            }
        }
        + linear("MockServer.requests(matching:)", each: "request") { count in
            let server = try await server(receiving: count)
            return {
                let requests = server.requests(matching: .get("/items/{item}"))
                return requests.count == count
            }
        }
        + linear("MockServer.verify", each: "request") { count in
            let server = try await server(receiving: count)
            return {
                server.verify(.get("/items/{item}"), times: .atLeast(count))
                return server.failures.isEmpty
            }
        }
        + linear("MockServer.nextRequest", each: "request") { count in
            let requests = try requests(count)
            return {
                let server = MockServer()
                server.on(.any)
                for request in requests { _ = try await server.send(request) }
                return try await all(count) {
                    try await server.nextRequest().path == "/items/\($0)"
                }
            }
        }
        + linear("MockServer.failures", each: "unhandled request") { count in
            let server = MockServer()
            for request in try requests(count) { _ = try? await server.send(request) }
            return { server.failures.count == count }
        }
        + linear("MockServer.har", each: "request") { count in
            let server = try await server(receiving: count)
            return { try server.har().count > 100 * count }
        }
        + linear("MockServer.har, secrets", each: "request") { count in
            let server = try await server(
                receiving: count,
                headers: { number in
                    ["Authorization": "Bearer 0123456789-\(number)"]
                })
            return { try server.har().count > 100 * count }
        }

    private static func requests(
        _ count: Int, headers: (Int) -> [String: String] = { _ in [:] }
    ) throws -> [URLRequest] {
        try (0..<count).map { number in
            try URLRequest(
                .get, "https://api.example.com/items/\(number)", headers: headers(number))
        }
    }

    private static func server(
        receiving count: Int, headers: (Int) -> [String: String] = { _ in [:] }
    ) async throws -> MockServer {
        let server = MockServer()
        server.on(.any)
        for request in try requests(count, headers: headers) {
            _ = try await server.send(request)
        }
        return server
    }
}
