import APIKit
import Foundation

/// The client of the DogPatch server.
final class DogPatchClient: DogPatchService, Sendable {
    /// The client of the whole app.
    ///
    /// One client means one session. A session limits its connections to a host and reuses them. A
    /// second session opens more.
    static let shared = DogPatchClient(baseURL: URL(string: "https://dogpatch.example/api/v1/"))

    let dogs: APIRequestLoader<DogsRequest>

    /// Creates a client that calls completions on the main queue.
    init(baseURL: URL?, session: URLSession = .shared) {
        dogs = APIRequestLoader(
            apiRequest: DogsRequest(),
            client: APIClient(baseURL: baseURL, transport: session),
            responseQueue: .main)
    }

    func getDogs(
        completion: @escaping @MainActor ([Dog]?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        dogs.loadAPIRequest(requestData: ()) { dogs, error in
            // The loader calls its handler on the main queue.
            MainActor.assumeIsolated { completion(dogs, error) }
        }
    }
}
