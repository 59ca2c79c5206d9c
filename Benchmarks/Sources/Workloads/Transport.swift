import APIKit
import Foundation

/// A transport to measure.
public struct Transport: Sendable {
    let name: String
    /// Loads a string in JSON without this package.
    let loadDirectly: (@Sendable (URL) async throws -> String)?
    let make: @Sendable () -> any HTTPTransport

    /// Creates a transport with a name for the tables, and the same load without this package.
    public init(
        _ name: String, direct: (@Sendable (URL) async throws -> String)? = nil,
        make: @escaping @Sendable () -> any HTTPTransport
    ) {
        self.name = name
        loadDirectly = direct
        self.make = make
    }

    /// The system's URL session.
    public static let urlSession = Transport("URLSession") { URLSession.bare() }

    /// Returns a client of a server, with a new transport.
    func client(of server: LoopbackServer) -> APIClient {
        APIClient(baseURL: server.url, transport: make())
    }
}
