import APIKit
import APIKitTesting
import Foundation
import Testing

/// The calls of the cheat sheet, each on one line.
@Suite(.mockServer) struct CheatSheetTests {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")
    let url = URL(string: "https://api.example.com/v1")

    @Test func clientLoadsWithItsInterceptors() async throws {
        let session = server.session
        server.on(.get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))
        server.on(.post("/v1/dogs").json(rex), reply: .status(201), times: .once)

        var client = APIClient(baseURL: url, transport: session)
        let tokens = Tokens(client: client)
        client.interceptors = [Deadline(.seconds(20)), Retry(), BearerAuthentication(tokens)]
        // A busy machine can take longer.
        client = client.without(Deadline.self)
        let dogs = try await client.load(DogsRequest(), with: "akita")
        try await client.load(NewDog(), with: #require(dogs.first))

        server.verify(.get("/v1/dogs"), times: 1)
    }

    @Test func clientTransfers() async throws {
        let client = APIClient(baseURL: url, transport: server.session)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        server.on(.get("/v1/prices/AAPL"), reply: .text("178\n179\n"))
        server.on(.get("/v1/dogs/1/pedigree"), reply: .text("Max and Bella"))
        server.on(.post("/v1/photos"), reply: .status(201))
        server.on(.get("/v1/dogs").query("page", 1), reply: .json([rex]))
        server.on(.get("/v1/dogs").query("page", 2), reply: .json([Dog]()))

        let lines = try await client.stream(PricesRequest(), with: "AAPL").value.lines
        #expect(try await lines.reduce(into: []) { $0.append($1) } == ["178", "179"])
        try await client.download(PedigreeRequest(), with: 1, to: file)
        try await client.upload(AddPhoto(), from: .file(file, contentType: "image/jpeg"))
        for try await dogs in client.pages(of: DogPages(), from: 1) { #expect(dogs.count < 2) }
    }

    @Test func cannedTransportRefuses() async throws {
        let canned = CannedTransport().reply(to: DogsRequest(), with: "akita", .status(404))
        do {
            let client = APIClient(baseURL: url, transport: canned)
            _ = try await client.load(DogsRequest(), with: "akita")
            Issue.record("The call returned.")
        } catch let error as APIError where error.statusCode == 404 {}
    }

    @Test func codeSendsAgainAfterFaults() async throws {
        let client = APIClient(
            baseURL: url, transport: server.session, interceptors: [Retry(baseDelay: .zero)])
        server.on(.get("/v1/dogs"), reply: .status(503), .failure(.timedOut), .json([rex]))

        async let dogs = client.load(DogsRequest(), with: "akita")
        let request = try await server.nextRequest(.get("/v1/dogs"))

        #expect(request.url.query == "breed=akita")
        #expect(try await dogs == [rex])
    }

    @Test func clockAdvances() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/v1/dogs"), reply: .json([rex]).delayed(.seconds(3600)))

        async let dogs = DogPatch(session: server.session).dogs(of: "akita")
        await clock.advanceToNextDeadline()

        #expect(try await dogs == [rex])
    }

    /// No test calls it, because its lines would be in the output of the tests.
    func log(_ client: inout APIClient) {
        client.observers = { call in [LogObserver(call)] }
    }

    struct NewDog: APIRequest {
        typealias ResponseDataType = Void

        func makeRequest(from dog: Dog) throws -> URLRequest {
            try URLRequest(.post, "dogs", body: .json(dog))
        }
    }

    struct AddPhoto: APIRequest {
        typealias ResponseDataType = Void

        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest(.post, "photos")
        }
    }

    struct DogPages: PagedAPIRequest {
        typealias ResponseDataType = [Dog]

        func makeRequest(from page: Int) throws -> URLRequest {
            try URLRequest(.get, "dogs", query: ["page": page])
        }

        func nextInput(after response: APIResponse<[Dog]>, from page: Int) -> Int? {
            response.value.isEmpty ? nil : page + 1
        }
    }
}

struct CheatSheetRecordingTests {
    @Test(.mockServer(replaying: "dogs")) func serverReplays() async throws {
        let patch = DogPatch(session: MockServer.current.session)

        #expect(try await patch.dogs(of: "akita").count == 1)
    }
}
