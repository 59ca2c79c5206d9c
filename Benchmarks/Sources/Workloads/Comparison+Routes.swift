import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let routes = [
        Comparison(.sending(routeCount: 100), to: .sending(routeCount: 1)),
        Comparison(.sending(routeCount: 1_000), to: .sending(routeCount: 1)),
        Comparison(.sending(routeCount: 10_000), to: .sending(routeCount: 1)),
        Comparison(.sendingToRequestTypes(routeCount: 10_000), to: .sending(routeCount: 1)),
        Comparison(.loading(routeCount: 10_000), to: .loading(routeCount: 1), aim: 1.05),
    ]
}

extension Workload {
    /// Sends requests to routes that are spread over all routes of a server.
    fileprivate static func sending(routeCount: Int) -> Workload {
        requesting("MockServer.send", routeCount: routeCount, pattern: pathPattern) { server in
            return { request in _ = try await server.send(request) }
        }
    }

    /// The same with routes whose patterns request types make.
    fileprivate static func sendingToRequestTypes(routeCount: Int) -> Workload {
        requesting(
            "MockServer.send to request types", routeCount: routeCount,
            pattern: { .request(ItemRequest(), with: $0) }
        ) { server in
            return { request in _ = try await server.send(request) }
        }
    }

    /// The same through a session, as most tests do.
    fileprivate static func loading(routeCount: Int) -> Workload {
        requesting("a data task", routeCount: routeCount, pattern: pathPattern) { server in
            let session = server.session
            // A session does not retain its server.
            return { request in
                _ = try await session.bareData(for: request)
                withExtendedLifetime(server) {}
            }
        }
    }

    private static let pathPattern: @Sendable (Int) -> RequestPattern = {
        .get("/shops/\($0)/items/{item}")
    }

    private static func requesting(
        _ name: String, routeCount: Int, pattern: @escaping @Sendable (Int) -> RequestPattern,
        _ sender: @escaping @Sendable (MockServer) -> @Sendable (URLRequest) async throws -> Void
    ) -> Workload {
        let routes = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        return Workload("\(name), \(routes)", count: 1_000) {
            let server = MockServer()
            for number in 0..<routeCount {
                server.on(pattern(number), reply: .status(200))
            }
            let requests = try (0..<1_000).map { index in
                let shop = index * routeCount / 1_000
                guard let url = URL(string: "https://api.example.com/shops/\(shop)/items/7") else {
                    throw URLError(.badURL)
                }
                return URLRequest(url: url)
            }
            let send = sender(server)
            return {
                for request in requests { try await send(request) }
            }
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
