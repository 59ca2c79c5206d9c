import APIKit
import Foundation

extension Shelter {
    /// A dog of the shelter.
    public struct Pup: Codable, Equatable, Sendable {
        /// The number of the dog.
        public var id: Int
        /// The name of the dog.
        public var name: String

        /// Creates a dog, for a test.
        public init(id: Int, name: String) {
            (self.id, self.name) = (id, name)
        }
    }

    package struct PupsRequest: APIRequest {
        package typealias ResponseDataType = [Pup]

        package init() {}

        package func makeRequest(from breed: String) throws -> URLRequest {
            try URLRequest(.get, "pups", query: ["breed": breed])
        }
    }
}

// snippet.client
/// A client of the shelter service.
public struct Shelter: Sendable {
    private let client: APIClient

    /// Creates a client for one account.
    public init(key: String) {
        self.init(key: key, transport: URLSession.shared)
    }

    package init(key: String, transport: any HTTPTransport) {
        client = APIClient(
            baseURL: URL(string: "https://shelter.example.com/v1"),
            headers: ["X-Api-Key": key], transport: transport,
            interceptors: [Deadline(.seconds(30)), Retry()])
    }

    /// Returns the pups of a breed.
    public func pups(of breed: String) async throws -> [Pup] {
        do {
            return try await client.load(PupsRequest(), with: breed)
        } catch let error as APIError {
            throw ShelterError(error)
        }
    }
}
// snippet.end

// snippet.error
/// A failure of the shelter service, or of the way to it.
public struct ShelterError: Error, CustomStringConvertible {
    /// Whether the same call may succeed later.
    public let isTemporary: Bool
    /// A sentence for developers, without secrets.
    public let description: String

    init(_ error: APIError) {
        description = error.description
        switch error.kind {
        case .transport, .deadline, .overloaded, .status(429), .status(500...):
            isTemporary = true
        case .status, .decoding, .notHTTP, .bodyTooLarge, .invalidRequest,
            .file:
            isTemporary = false
        @unknown default:
            isTemporary = false
        }
    }
}
// snippet.end

// snippet.kit
/// A shelter service whose responses a test or a preview sets.
public struct CannedShelter: Sendable {
    private let transport = CannedTransport()

    /// Creates a service without responses.
    public init() {}

    /// A client of this service.
    public var shelter: Shelter { Shelter(key: "test", transport: transport) }

    /// Sets the pups of a breed.
    public func set(_ pups: [Shelter.Pup], of breed: String) {
        transport.reply(to: Shelter.PupsRequest(), with: breed, .json(pups))
    }

    /// Refuses to list a breed.
    public func refuse(_ breed: String, status: Int) {
        transport.reply(
            to: Shelter.PupsRequest(), with: breed, .status(status))
    }
}
// snippet.end
