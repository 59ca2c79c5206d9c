import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite struct PreviewsTests {
    @Test func previewShowsThreeStates() async throws {
        let rex = Pup(id: 1, name: "Rex")
        let loaded = APIClient.preview(.json([rex]))
        let failed = APIClient.preview(.failure(URLError(.notConnectedToInternet)))
        let loading = Task {
            try await APIClient.preview(.never).load(PupsRequest(), with: "akita")
        }

        #expect(try await loaded.load(PupsRequest(), with: "akita") == [rex])
        let error = await #expect(throws: APIError.self) {
            try await failed.load(PupsRequest(), with: "akita")
        }
        #expect(error?.urlError?.code == .notConnectedToInternet)
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test func launchArgumentSelectsTheDemo() async throws {
        let client = APIClient.app(arguments: ["App", "-demo"])

        #expect(try await client.load(PupsRequest(), with: "akita") == [Pup(id: 1, name: "Rex")])
        #expect(APIClient.app(arguments: ["App"]).transport is URLSession)
        let offline = APIClient.app(arguments: ["App", "-demo", "offline"])
        let error = await #expect(throws: APIError.self) {
            try await offline.load(PupsRequest(), with: "akita")
        }
        #expect(error?.urlError?.code == .notConnectedToInternet)
    }

    @Test func pageShowsTheErrorOfARequestWithoutAResponse() async throws {
        let client = APIClient.preview(.status(200))
        let error = await #expect(throws: APIError.self) {
            try await client.load(PupsRequest(), with: "boxer")
        }

        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(
                path: "Sources/APIKit/APIKit.docc/Articles/previews-and-ui-tests.md"),
            encoding: .utf8)
        #expect(page.contains("\n\(try #require(error))\n"))
    }
}

@Suite(.mockServer) struct RecordingTransportTests {
    /// Returns a transport with the recording of a server, from a bundle that is deleted again.
    private func transport(replaying server: MockServer) throws -> RecordingTransport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let recordings = folder.appending(path: "Recordings")
        try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
        try server.har().write(to: recordings.appending(path: "all.har"))
        return try RecordingTransport("all", in: try #require(Bundle(url: folder)))
    }

    @Test func recordingOfTheBundleReplies() async throws {
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: try RecordingTransport("dogs", in: .module))

        #expect(try await client.load(DogsRequest(), with: "akita") == [Dog(id: 1, name: "Rex")])
        #expect(try await client.load(DogsRequest(), with: "akita") == [Dog(id: 1, name: "Rex")])
        let error = await #expect(throws: APIError.self) {
            try await client.load(DogsRequest(), with: "boxer")
        }
        #expect(error?.description.hasSuffix("the recording has no response to it.") == true)
    }

    @Test func missingRecordingIsAnError() {
        #expect(throws: CocoaError.self) { try RecordingTransport("cats", in: .module) }
        #expect(throws: CocoaError.self) { try makeReplayingClient() }
    }

    @Test func equalRequestsReceiveTheirResponsesInOrder() async throws {
        let server = MockServer.current
        let bytes = Data([0, 255, 1])
        server.on(.get("/dogs"), reply: .status(503), .data(bytes).header("X-Tag", "a"))
        server.on(.delete("/dogs"), reply: .status(204))
        let get = try URLRequest(.get, "https://api.example.com/dogs")
        let delete = try URLRequest(.delete, "https://api.example.com/dogs")
        for request in [get, delete, get] { _ = try await server.send(request) }

        let transport = try transport(replaying: server)
        var responses: [APIResponse<Data>] = []
        for request in [get, get, get, delete] {
            let (body, head) = try await transport.send(request)
            let http = try #require(head as? HTTPURLResponse)
            responses.append(APIResponse(value: body, http: http))
        }

        #expect(responses.map(\.statusCode) == [503, 200, 200, 204])
        #expect(responses.map(\.value) == [Data(), bytes, bytes, Data()])
        let second = try #require(responses.dropFirst().first)
        #expect(second.http.value(forHTTPHeaderField: "x-tag") == "a")
    }
}
