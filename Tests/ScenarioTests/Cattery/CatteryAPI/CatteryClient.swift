import APIKit
import Foundation

/// The client of the cattery, the only type of this module with a network.
public struct CatteryClient: Sendable {
    private let client: APIClient

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: What sends the requests: the session of the app, or a mock server in a test.
    ///   - observers: Makes the observers of a call, such as those that log.
    public init(
        transport: any HTTPTransport = URLSession.shared,
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) {
        client = APIClient(
            baseURL: URL(string: "https://cattery.example/api"), transport: transport,
            interceptors: [Retry()], observers: observers)
    }

    /// Returns the cats of a breed.
    public func cats(of breed: String) async throws -> [Cat] {
        try await client.load(CatsRequest(), with: breed)
    }

    /// Adopts a cat.
    public func adopt(_ cat: Cat) async throws {
        try await client.load(AdoptCat(), with: cat.id)
    }
}
