import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct MockerSnippets {
    let server = MockServer.current

    @Test func routeReplacesAMock() async throws {
        // snippet.mock
        let dogs = server.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))
        let patch = DogPatch(session: server.session)

        #expect(try await patch.dogs(of: "akita").count == 1)
        #expect(dogs.requests.first?.url.query == "breed=akita")
        // snippet.end
    }

    @Test func nextRequestReplacesAnExpectation() async throws {
        let patch = DogPatch(session: server.session)
        // snippet.expectation
        server.on(.post("/v1/dogs"), reply: .status(201))

        async let addition: Void = patch.add(Dog(id: 1, name: "Rex"))
        let request = try await server.nextRequest(.post("/v1/dogs"))

        #expect(try request.json(Dog.self).name == "Rex")
        // snippet.end
        try await addition
    }
}
