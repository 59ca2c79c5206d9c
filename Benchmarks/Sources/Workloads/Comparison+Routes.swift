import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let routes = [
        Comparison(.sending(routeCount: 100), to: .sending(routeCount: 1)),
        Comparison(.sending(routeCount: 1_000), to: .sending(routeCount: 1)),
        Comparison(.sending(routeCount: 10_000), to: .sending(routeCount: 1)),
        Comparison(.loading(routeCount: 10_000), to: .loading(routeCount: 1), aim: 1.1),
    ]
}

extension Workload {
    /// Sends requests to routes that are spread over all routes of a server.
    fileprivate static func sending(routeCount: Int) -> Workload {
        requesting("MockServer.send", routeCount: routeCount) { server in
            return { request in _ = try await server.send(request) }
        }
    }

    /// The same through a session, as most tests do.
    fileprivate static func loading(routeCount: Int) -> Workload {
        requesting("a data task", routeCount: routeCount) { server in
            let session = server.session
            // A session does not retain its server.
            return { request in
                _ = try await session.bareData(for: request)
                withExtendedLifetime(server) {}
            }
        }
    }

    private static func requesting(
        _ name: String, routeCount: Int,
        _ sender: @escaping @Sendable (MockServer) -> @Sendable (URLRequest) async throws -> Void
    ) -> Workload {
        let routes = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        return Workload("\(name), \(routes)", count: 1_000) {
            let server = MockServer()
            for number in 0..<routeCount {
                server.on(.get("/shops/\(number)/items/{item}"), reply: .status(200))
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
