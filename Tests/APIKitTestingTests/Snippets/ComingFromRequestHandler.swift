import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct RequestHandlerSnippets {
    @Test func closureServesEveryRequest() async throws {
        // snippet.closure
        let server = MockServer { request in
            #expect(request.url.query == "breed=akita")
            return .json([Dog(id: 1, name: "Rex")])
        }
        let dogs = try await DogPatch(session: server.session).dogs(of: "akita")
        // snippet.end

        #expect(dogs.count == 1)
    }

    @Test func routeServesMatchingRequests() async throws {
        let server = MockServer.current
        // snippet.route
        server.on(
            .get("/v1/dogs").query("breed", "akita"),
            reply: .json([Dog(id: 1, name: "Rex")]))
        // snippet.end

        #expect(
            try await DogPatch(session: server.session).dogs(of: "akita").count
                == 1)
    }
}
