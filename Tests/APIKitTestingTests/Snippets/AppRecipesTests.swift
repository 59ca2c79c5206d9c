import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct AppRecipesTests {
    private let server = MockServer.current

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(
            baseURL: URL(string: "https://api.example.com/v1"), transport: server.session,
            interceptors: interceptors)
    }

    /// Calls a function with a new folder, and deletes the folder.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}

// MARK: - A signature of the body

extension AppRecipesTests {
    /// The ways in which a request has a body.
    enum Way: CaseIterable { case load, data, file, form }

    private struct AddPhoto: APIRequest {
        var body: HTTPBody?

        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest(.put, "photos/7", body: body)
        }
    }

    /// A signer whose signature is the bytes themselves.
    private var signer: BodySigner {
        BodySigner { try await $0.data().base64EncodedString() }
    }

    @Test(arguments: Way.allCases) func signatureIsThatOfTheBodyInEachAttempt(
        way: Way
    ) async throws {
        let route = server.on(.put("/v1/photos/7"), reply: .status(503), .status(204))
        let client = client(Retry(baseDelay: .zero), signer)
        let bytes = Data("Rex".utf8)

        try await withFolder { folder in
            let file = folder.appending(path: "rex.jpg")
            try bytes.write(to: file)
            switch way {
            case .load: try await client.load(AddPhoto(body: .data(bytes)))
            case .data: try await client.upload(AddPhoto(), from: .data(bytes))
            case .file: try await client.upload(AddPhoto(), from: .file(file))
            case .form:
                let form: MultipartForm = ["name": .text("Rex"), "photo": .file(file)]
                try await client.upload(AddPhoto(), from: .multipart(form))
            }
        }

        #expect(route.requests.count == 2)
        for request in route.requests {
            #expect(request.body.range(of: bytes) != nil)
            #expect(request.header("X-Signature") == request.body.base64EncodedString())
        }
    }

    @Test func bodyThatCanBeReadOnceIsNotSigned() async throws {
        let chunks = AsyncStream<Data> { $0.finish() }
        let error = await #expect(throws: APIError.self) {
            try await client(signer).upload(AddPhoto(), from: .stream(chunks))
        }

        #expect(
            error?.description == """
                PUT https://api.example.com/v1/photos/7 cannot be sent: its body can be read only \
                once, not signed.
                """)
        #expect(server.requests.isEmpty)
    }
}

// MARK: - The other recipes

extension AppRecipesTests {
    private var rex: Pup { Pup(id: 1, name: "Rex") }

    @Test func keptOutputIsThereAtTheNextStart() async throws {
        server.on(.get("/v1/pups"), reply: .json([rex]), .status(503))

        try await withFolder { folder in
            let request = Kept(base: PupsRequest(), file: folder.appending(path: "pups.json"))
            #expect(throws: CocoaError.self) { try request.last() }
            let pups = try await client().load(request, with: "akita")
            #expect(pups == [rex])
            await #expect(throws: APIError.self) {
                try await client().load(request, with: "akita")
            }
            #expect(try request.last() == [rex])
        }
    }

    @Test func eventsLiveThroughRefusals() async throws {
        let refusal = MockResponse.status(503).header("Retry-After", "0")
        server.on(
            .get("/v1/news"), reply: refusal, refusal, refusal, refusal,
            .events([ServerSentEvent(data: "hello", retry: .zero)]), .status(204))
        let (texts, text) = AsyncStream.makeStream(of: String.self)

        try await followNews(client: client(Retry()), show: { text.yield($0) })
        text.finish()

        #expect(await texts.reduce(into: []) { $0.append($1) } == ["hello"])
    }

    @Test @MainActor func searchWaitsForAPause() async throws {
        let clock = ManualClock()
        server.on(.get("/v1/pups").query("breed", "akita"), reply: .json([rex]))
        let model = PupSearch(client: client(), clock: clock)

        model.find("ak")
        let first = model.search
        model.find("akita")
        await #expect(throws: CancellationError.self) { try await first?.value }
        await clock.advanceToNextDeadline()
        try await model.search?.value

        #expect(model.pups == [rex])
    }

    private struct ViewerRequest: APIRequest {
        typealias ResponseDataType = String

        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest(.post, "graphql", body: .json(["query": "{ viewer }"]))
        }
    }

    private actor ViewerTokens: TokenProvider {
        private var current = "old"

        func token() -> String? { current }

        func refresh(replacing token: String) -> String? {
            current = "new"
            return current
        }
    }

    @Test func expiredTokenOfGraphQLIsRefreshed() async throws {
        let refusal = #"{"errors": [{"extensions": {"code": "UNAUTHENTICATED"}}]}"#
        let replies = server.on(
            .post("/graphql"), reply: .json(text: refusal), .json(text: #"{"data": 1}"#))
        var client = graphQLClient(
            url: try #require(URL(string: "https://api.example.com")), tokens: ViewerTokens())
        client.transport = server.session

        #expect(try await client.load(ViewerRequest()) == #"{"data": 1}"#)
        #expect(
            replies.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
    }

    @Test func breakerLetsOneCallAMinuteThroughAfterFiveFailures() async throws {
        let clock = ManualClock()
        server.on(
            .get("/v1/pups"),
            reply: .failure(.timedOut), .status(500), .status(502), .status(500), .status(500),
            .status(503), .json([rex]), times: 8)
        let client = client(CircuitBreaker(clock: clock))
        func load() async throws -> [Pup] { try await client.load(PupsRequest(), with: "akita") }

        for _ in 1...5 { await #expect(throws: APIError.self) { try await load() } }
        await #expect(throws: CircuitBreaker<ManualClock>.IsOpen.self) { try await load() }
        clock.advance(by: .seconds(60))
        await #expect(throws: APIError.self) { try await load() }
        await #expect(throws: CircuitBreaker<ManualClock>.IsOpen.self) { try await load() }
        clock.advance(by: .seconds(60))
        #expect(try await load() == [rex])
        #expect(try await load() == [rex])
    }

    @Test func offlinePreviewFailsAtOnce() async {
        let retry = Retry(clock: ManualClock())

        let error = await #expect(throws: APIError.self) {
            try await APIClient.offline(client(retry)).load(PupsRequest(), with: "akita")
        }

        #expect(error?.urlError?.code == .notConnectedToInternet)
    }
}
