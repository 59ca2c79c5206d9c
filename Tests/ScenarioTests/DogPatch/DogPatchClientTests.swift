import APIKit
import APIKitTesting
import Foundation
import Testing

/// Tests of the client: the request it sends, the result it reports, and the actor it reports on.
@Suite(.mockServer) struct DogPatchClientTests {
    let server = MockServer.current

    @Test(arguments: ["https://dogpatch.example/api/v1", "https://dogpatch.example/api/v1/"])
    func pathIsJoinedBelowTheBaseURL(baseURL: String) async {
        server.on(.get("/api/v1/dogs").host("dogpatch.example"), reply: .json([String]()))
        let client = DogPatchClient(baseURL: URL(string: baseURL), session: server.session)

        let (dogs, error) = await client.dogs()

        #expect(dogs == [])
        #expect(error == nil)
    }

    @Test func dogsAreDecoded() async {
        server.on(.get("/api/v1/dogs"), reply: .fixture("dogs.json", in: .module))

        let (dogs, _) = await client.dogs()

        #expect(dogs?.map(\.name) == ["Mango", "Pepper"])
        #expect(dogs?.map(\.cost) == [1250, 899.5])
        #expect(dogs?.first?.created == Date(timeIntervalSince1970: 1_775_122_200))
    }

    @Test(
        arguments: [
            (.status(500), .status(500), ""), (.failure(.notConnectedToInternet), .transport, nil),
            (.text("no JSON"), .decoding, "no JSON"),
            (.text(#"[{"name": "Mango"}]"#), .decoding, #"[{"name": "Mango"}]"#),
        ] as [(MockResponse, APIError.Kind, String?)])
    func failureHasItsKindAndTheBody(
        reply: MockResponse, kind: APIError.Kind, body: String?
    ) async {
        server.on(.get("/api/v1/dogs"), reply: reply)

        let (dogs, error) = await client.dogs()

        #expect(dogs == nil)
        #expect((error as? APIError)?.kind == kind)
        #expect((error as? APIError)?.body == body.map { Data($0.utf8) })
    }

    @Test(arguments: [
        MockResponse.json([String]()), .status(500), .failure(.timedOut), .text("no JSON"),
    ])
    func completionRunsOnTheMainQueue(reply: MockResponse) async {
        server.on(.get("/api/v1/dogs"), reply: reply)
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")

        let queue = await withCheckedContinuation { continuation in
            _ = client.getDogs { _, _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }

        #expect(queue == "main")
    }

    @Test func returnedTaskCancelsTheCall() async throws {
        server.on(.get("/api/v1/dogs"), reply: .never)

        try await confirmation { isCanceled in
            let call = client.getDogs { _, error in
                if error is CancellationError { isCanceled() }
            }
            _ = try await server.nextRequest()
            call.cancel()
            await call.value
        }
    }

    @Test func sharedClientHasTheSessionAndTheURLOfTheApp() {
        let loader = DogPatchClient.shared.dogs

        #expect(loader.urlSession === URLSession.shared)
        #expect(loader.client.baseURL == URL(string: "https://dogpatch.example/api/v1/"))
        #expect(loader.responseQueue?.label == DispatchQueue.main.label)
    }

    private var client: DogPatchClient {
        DogPatchClient(
            baseURL: URL(string: "https://dogpatch.example/api/v1/"), session: server.session)
    }
}

extension DogPatchClient {
    /// Returns the arguments of the completion handler.
    fileprivate func dogs() async -> ([Dog]?, (any Error)?) {
        await withCheckedContinuation { continuation in
            _ = getDogs { dogs, error in continuation.resume(returning: (dogs, error)) }
        }
    }
}
