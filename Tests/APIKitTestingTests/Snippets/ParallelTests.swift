import APIKit
import APIKitTesting
import Foundation
import Testing

// snippet.arguments
@Suite(.mockServer) struct BreedTests {
    let server = MockServer.current

    @Test(arguments: ["akita", "boxer", "corgi"]) func loadsEachBreed(
        breed: String
    ) async throws {
        let dogs = server.on(
            .get("/v1/dogs").query("breed", .any), reply: .json([Dog]()))

        _ = try await DogPatch(session: server.session).dogs(of: breed)

        #expect(dogs.requests.first?.url.query == "breed=\(breed)")
    }
}
// snippet.end

@Suite(.mockServer) struct ParallelSnippets {
    @Test func eachServerServesItsSession() async throws {
        // snippet.several
        let dogs = MockServer()
        let pictures = MockServer()
        dogs.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))
        pictures.on(
            .get("/1.png"),
            reply: .data(Data([1, 2, 3]), contentType: "image/png"))

        let found = try await DogPatch(session: dogs.session).dogs(of: "akita")
        let dog = try #require(found.first)
        let url = try #require(URL(string: "https://cdn.example.com/\(dog.id).png"))
        let (picture, _) = try await pictures.session.send(URLRequest(url: url))
        // snippet.end

        #expect(picture.count == 3)
    }

    @Test func installedServerServesASession() async throws {
        let server = MockServer.current
        server.on(.get("/v1/dogs"), reply: .json([Dog]()))

        // snippet.install
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["User-Agent": "DogPatch/1.0"]
        server.install(in: configuration)
        let session = URLSession(configuration: configuration)
        // snippet.end

        _ = try await DogPatch(session: session).dogs(of: "akita")
        server.verify(.any.header("User-Agent", "DogPatch/1.0"))
    }

    @Test func serverIsATransport() async throws {
        let server = MockServer.current
        server.on(.get("/v1/dogs"), reply: .json([Dog]()))

        // snippet.transport
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server)
        // snippet.end

        #expect(try await client.load(DogsRequest(), with: "akita").isEmpty)
    }
}
