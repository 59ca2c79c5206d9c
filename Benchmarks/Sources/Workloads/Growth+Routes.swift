import APIKit
import APIKitTesting
import Foundation
import RegexBuilder

extension Comparison {
    static let growthOfRoutes =
        flat("MockServer.send", with: "route", repetitions: 100) { count in
            let server = MockServer()
            server.addShops(count)
            return try sending(100, over: count) { try await server.responds(to: $0, with: $1) }
        }
        + flat("MockServer.send", with: "request-type route", repetitions: 100) { count in
            let server = MockServer()
            for shop in 0..<count {
                server.on(.request(ItemRequest(), with: shop), reply: .text("\(shop)"))
            }
            return try sending(100, over: count) { try await server.responds(to: $0, with: $1) }
        }
        + flat("a data task", with: "route", repetitions: 10) { count in
            let server = MockServer()
            server.addShops(count)
            let session = server.session
            // A session does not retain its server.
            return try sending(10, over: count) { request, text in
                defer { withExtendedLifetime(server) {} }
                return try await session.bareData(for: request).0 == Data(text.utf8)
            }
        }
        + flat("a data task", with: "other server", repetitions: 10) { count in
            let servers = (0..<count).map { _ in MockServer() }
            for server in servers { server.install(in: .bare()) }
            let server = MockServer()
            server.on(.any, reply: .text("0"))
            let session = server.session
            return try sending(10, over: 1) { request, text in
                defer { withExtendedLifetime((server, servers)) {} }
                return try await session.bareData(for: request).0 == Data(text.utf8)
            }
        }
        + comparing("hosts", "https://a0.example/") { .get("/").host("a\($0).example") }
        + comparing("queries", "https://a.example/?page=0") { .get("/").query("page", $0) }
        + comparing("header fields", "https://a.example/") { .get("/").header("Number", $0) }
        + comparing("JSON bodies", "https://a.example/") { .get("/").json(["number": $0]) }
        + comparing("regular expressions", "https://a.example/shops/0") { number in
            .path(matching: Regex { "/shops/\(number)" })
        }
        + linear("MockServer.on", each: "route") { count in
            return {
                let server = MockServer()
                server.addShops(count)
                return try await server.responds(
                    to: URLRequest(to: "https://api.example.com/shops/0/items/7"), with: "0")
            }
        }
        + linear("MockServer.send, a miss", each: "route") { count in
            let server = MockServer()
            server.addShops(count)
            let request = try URLRequest(to: "https://api.example.com/shop/7")
            return {
                do {
                    _ = try await server.send(request)
                    return false
                } catch is UnhandledRequestError {
                    return true
                }
            }
        }
        + linear("MockServer.failures, an unused route and a used one", each: "pair") { count in
            let server = MockServer()
            for shop in 0..<count {
                server.on(.get("/shops/\(shop)/items/{item}"))
                server.on(.get("/users/\(shop)"))
                _ = try await server.send(URLRequest(to: "https://api.example.com/users/\(shop)"))
            }
            return { server.failures.count == count }
        }

    /// Sends requests that are spread over the shops, each of which responds with its number.
    private static func sending(
        _ count: Int, over shopCount: Int,
        _ isRight: @escaping @Sendable (URLRequest, _ text: String) async throws -> Bool
    ) throws -> CheckedRun {
        let requests = try (0..<count).map { index in
            let shop = index * shopCount / count
            return try (
                URLRequest(to: "https://api.example.com/shops/\(shop)/items/7"), "\(shop)"
            )
        }
        return {
            try await all(count) { try await isRight(requests[$0].0, requests[$0].1) }
        }
    }

    /// Sends a request that a server compares with all of its routes, because they have one path.
    private static func comparing(
        _ name: String, _ url: String, _ pattern: @escaping @Sendable (Int) -> RequestPattern
    ) -> [Comparison] {
        linear("MockServer.send, comparing \(name)", each: "route") { count in
            let server = MockServer()
            for number in 0..<count { server.on(pattern(number)) }
            var request = try URLRequest(to: url)
            request.setValue("0", forHTTPHeaderField: "Number")
            request.httpBody = Data(#"{"number": 0}"#.utf8)
            return { [request] in try await server.responds(to: request) }
        }
    }
}

extension MockServer {
    func addShops(_ count: Int) {
        for shop in 0..<count {
            on(.get("/shops/\(shop)/items/{item}"), reply: .text("\(shop)"))
        }
    }
}

/// A request for an item of a shop by the number of the shop.
private struct ItemRequest: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from shop: Int) throws -> URLRequest {
        try URLRequest(.get, "shops/\(shop)/items/7")
    }
}
