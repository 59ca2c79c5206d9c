import APIKit
import Foundation

/// Requests the cats of a breed.
public struct CatsRequest: CatteryRequest {
    /// Creates the request, also for the routes of a test.
    public init() {}

    /// Makes the request from a breed.
    public func makeRequest(from breed: String) throws -> URLRequest {
        try URLRequest(.get, "cats", query: ["breed": breed])
    }

    /// Parses the cats from the server's payload, which stays internal.
    public func parseResponse(data: Data) throws -> [Cat] {
        try decoder.decode([CatPayload].self, from: data).map(Cat.init)
    }
}

/// Adopts a cat.
public struct AdoptCat: CatteryRequest {
    /// The response has no value.
    public typealias ResponseDataType = Void

    /// Creates the request, also for the routes of a test.
    public init() {}

    /// Makes the request from the ID of a cat.
    public func makeRequest(from id: Cat.ID) throws -> URLRequest {
        try URLRequest(.put, "cats/\(id)/adoption", body: .json(AdoptionPayload(adopted: true)))
    }
}

/// The rules of the whole API.
///
/// The protocol is internal. Its members that the requirements of `APIRequest` need are public.
protocol CatteryRequest: APIRequest {}

extension CatteryRequest {
    /// The decoder of all responses.
    public var decoder: any ResponseDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

/// A cat as the server writes it.
struct CatPayload: Decodable {
    let catId: Int
    let callName: String
    let adoptedAt: String?
}

/// The body of an adoption.
struct AdoptionPayload: Encodable {
    let adopted: Bool
}

extension Cat {
    init(_ payload: CatPayload) {
        self.init(
            id: payload.catId, name: payload.callName, isAdopted: payload.adoptedAt != nil)
    }
}
