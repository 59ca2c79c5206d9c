import APIKit
import Foundation

/// A transport to measure.
public struct Transport: Sendable {
    let name: String
    let make: @Sendable () -> any HTTPTransport

    /// Creates a transport with a name for the tables.
    public init(_ name: String, make: @escaping @Sendable () -> any HTTPTransport) {
        self.name = name
        self.make = make
    }

    /// The system's URL session.
    public static let urlSession = Transport("URLSession") { URLSession.bare() }

    /// Returns a client of a server, with a new transport.
    func client(of server: LoopbackServer) -> APIClient {
        APIClient(baseURL: server.url, transport: make())
    }
}
