import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct VerifyingSnippets {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")

    private var patch: DogPatch { DogPatch(session: server.session) }

    @Test func routeHoldsItsRequests() async throws {
        // snippet.spy
        let add = server.on(.post("/v1/dogs"), reply: .status(201))

        try await patch.add(rex)

        #expect(try add.requests.map { try $0.json(Dog.self) } == [rex])
        // snippet.end
    }

    @Test func timesLimitsTheNumberOfRequests() async throws {
        // snippet.times
        server.on(.get("/v1/dogs"), reply: .json([rex]), times: .once)
        server.on(.delete("/v1/**"), times: 0)
        server.on(
            .get("/v1/breeds"), reply: .json(["akita"]), times: .anyNumber)
        // snippet.end

        _ = try await patch.dogs(of: "akita")
    }

    @Test func serverHoldsAllRequests() async throws {
        // snippet.verify
        server.on(.any, reply: .json([rex]))

        _ = try await patch.dogs(of: "akita")
        try await patch.add(rex)

        server.verify(.get("/v1/dogs").query("breed", "akita"))
        server.verify(.delete(), times: 0)
        server.verifyOrder(.get("/v1/dogs"), .post("/v1/dogs"))
        #expect(server.requests.map(\.method) == ["GET", "POST"])
        // snippet.end
    }

    @Test func nextRequestWaitsForARequest() async throws {
        let patch = patch
        let rex = rex
        // snippet.next
        server.on(.post("/v1/dogs"), reply: .status(201))

        let task = Task { try await patch.add(rex) }
        let request = try await server.nextRequest(
            .post("/v1/dogs"), within: .seconds(60))

        #expect(try request.json(Dog.self) == rex)
        // snippet.end
        try await task.value
    }
}
