import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let routes = [
        Comparison(.answering(routeCount: 100), to: .answering(routeCount: 1)),
        Comparison(.answering(routeCount: 1_000), to: .answering(routeCount: 1)),
        Comparison(.answering(routeCount: 10_000), to: .answering(routeCount: 1), aim: 1.3),
    ]
}

extension Workload {
    /// Answers requests to routes here and there among all that a server has.
    fileprivate static func answering(routeCount: Int) -> Workload {
        let name = routeCount == 1 ? "1 route" : "\(routeCount) routes"
        return Workload("MockServer.send, \(name)", count: 1_000) {
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
            return {
                for request in requests { _ = try await server.send(request) }
            }
        }
    }
}
