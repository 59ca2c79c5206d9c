import APIKit
import Foundation

/// The client of the DogPatch server.
final class DogPatchClient: DogPatchService, Sendable {
    /// The one that the app uses.
    static let shared = DogPatchClient(
        baseURL: URL(string: "https://dogpatch.example/api/v1/"), responseQueue: .main)

    let dogs: APIRequestLoader<DogsRequest>

    init(baseURL: URL?, session: URLSession = .shared, responseQueue: DispatchQueue? = nil) {
        dogs = APIRequestLoader(
            apiRequest: DogsRequest(),
            client: APIClient(baseURL: baseURL, transport: session),
            responseQueue: responseQueue)
    }

    func getDogs(
        completion: @escaping @Sendable ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        dogs.loadAPIRequest(requestData: (), completionHandler: completion)
    }
}
