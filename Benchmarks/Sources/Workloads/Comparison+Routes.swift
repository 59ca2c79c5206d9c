import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let routes = [
        Comparison(.answering(routeCount: 100), to: .answering(routeCount: 1)),
        Comparison(.answering(routeCount: 1_000), to: .answering(routeCount: 1)),
        Comparison(.answering(routeCount: 10_000), to: .answering(routeCount: 1)),
        Comparison(.loading(routeCount: 10_000), to: .loading(routeCount: 1), aim: 1.1),
    ]
}

extension Workload {
    /// Answers requests to routes here and there among all that a server has.
    fileprivate static func answering(routeCount: Int) -> Workload {
        asking("MockServer.send", routeCount: routeCount) { server in
            return { request in _ = try await server.send(request) }
        }
    }

    /// The same through a session, as nearly all tests do.
    fileprivate static func loading(routeCount: Int) -> Workload {
        asking("a data task", routeCount: routeCount) { server in
            let session = server.session
            // A session does not keep the server that answers it.
            return { request in
                _ = try await session.bareData(for: request)
                withExtendedLifetime(server) {}
            }
        }
    }

    private static func asking(
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
