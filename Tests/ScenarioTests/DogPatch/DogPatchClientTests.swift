import APIKit
import APIKitTesting
import Foundation
import Testing

/// The client against a server: what goes out, what comes back, and where the answer arrives.
@Suite(.mockServer) struct DogPatchClientTests {
    let server = MockServer.current

    @Test(arguments: ["https://dogpatch.example/api/v1", "https://dogpatch.example/api/v1/"])
    func asksBelowItsBaseURL(baseURL: String) async {
        server.on(.get("/api/v1/dogs").host("dogpatch.example"), reply: .json([String]()))
        let client = DogPatchClient(baseURL: URL(string: baseURL), session: server.session)

        let (dogs, error) = await client.dogs()

        #expect(dogs == [])
        #expect(error == nil)
    }

    @Test func decodesTheDogs() async {
        server.on(.get("/api/v1/dogs"), reply: .fixture("dogs.json", in: .module))

        let (dogs, _) = await client().dogs()

        #expect(dogs?.map(\.name) == ["Mango", "Pepper"])
        #expect(dogs?.map(\.cost) == [1250, 899.5])
        #expect(dogs?.first?.created == Date(timeIntervalSince1970: 1_775_122_200))
    }

    @Test func failsWithTheStatusOfARefusal() async {
        server.on(.get("/api/v1/dogs"), reply: .status(500))

        let (dogs, error) = await client().dogs()

        #expect(dogs == nil)
        #expect((error as? APIError)?.kind == .status(500))
    }

    @Test func failsWhereTheServerCannotBeReached() async {
        server.on(.get("/api/v1/dogs"), reply: .failure(.notConnectedToInternet))

        let (dogs, error) = await client().dogs()

        #expect(dogs == nil)
        #expect((error as? APIError)?.kind == .transport)
    }

    @Test func answersOnItsQueue() async {
        server.on(.get("/api/v1/dogs"), reply: .json([String]()))
        let queue = DispatchQueue(label: "DogPatchClientTests")
        let place = DispatchSpecificKey<String>()
        queue.setSpecific(key: place, value: "on the queue")
        let client = client(responseQueue: queue)

        let answered = await withCheckedContinuation { continuation in
            _ = client.getDogs { _, _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: place))
            }
        }

        #expect(answered == "on the queue")
    }

    @Test func givesAHandleThatCancels() async throws {
        server.on(.get("/api/v1/dogs"), reply: .never)

        try await confirmation { isCancelled in
            let call = client().getDogs { _, error in
                if error is CancellationError { isCancelled() }
            }
            _ = try await server.nextRequest()
            call.cancel()
            await call.value
        }
    }

    @Test func isOneForTheWholeApp() {
        let loader = DogPatchClient.shared.dogs

        #expect(loader.client.baseURL == URL(string: "https://dogpatch.example/api/v1/"))
        #expect(loader.responseQueue?.label == DispatchQueue.main.label)
    }

    private func client(responseQueue: DispatchQueue? = nil) -> DogPatchClient {
        DogPatchClient(
            baseURL: URL(string: "https://dogpatch.example/api/v1/"), session: server.session,
            responseQueue: responseQueue)
    }
}

extension DogPatchClient {
    /// What the completion handler is called with.
    fileprivate func dogs() async -> ([Dog]?, (any Error)?) {
        await withCheckedContinuation { continuation in
            _ = getDogs { dogs, error in continuation.resume(returning: (dogs, error)) }
        }
    }
}
