import APIKitTesting
import Foundation
import Testing

// snippet.mock
/// A shelter service that fails a test whose calls differ from its routes.
public struct MockShelter: Sendable {
    private let server = MockServer()

    /// Creates a service that expects no call.
    public init() {}

    /// A client of this service.
    public var shelter: Shelter { Shelter(key: "test", transport: server) }

    /// Expects one call for a breed.
    public func expect(
        _ breed: String, reply pups: [Shelter.Pup],
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: Int = #line, column: Int = #column
    ) {
        server.on(
            .get("/v1/pups").query("breed", breed), reply: .json(pups),
            times: .once, fileID: fileID, filePath: filePath, line: line,
            column: column)
    }

    /// Fails the test for each call that differs; call it at its end.
    public func verify() { server.verify() }
}
// snippet.end

@Suite(.inTurn) struct InAnSDKTests {
    private let rex = Shelter.Pup(id: 1, name: "Rex")

    @Test func cannedShelterRepliesToTheClientOfTheSDK() async throws {
        let service = CannedShelter()
        service.set([rex], of: "akita")
        service.refuse("boxer", status: 404)

        #expect(try await service.shelter.pups(of: "akita") == [rex])
        let error = await #expect(throws: ShelterError.self) {
            try await service.shelter.pups(of: "boxer")
        }
        #expect(error?.isTemporary == false)
        #expect(
            error?.description == """
                GET https://shelter.example.com/v1/pups?breed=boxer was refused with status 404.
                """)
    }

    @Test func mockShelterExpectsEachCallOnce() async throws {
        let service = MockShelter()
        service.expect("akita", reply: [rex])

        #expect(try await service.shelter.pups(of: "akita") == [rex])

        service.verify()
    }

    @Test func mockShelterFailsAtTheLineOfAnUnusedRoute() async {
        let service = MockShelter()
        let line = #line + 1
        service.expect("akita", reply: [])

        withKnownIssue {
            service.verify()
        } matching: {
            $0.sourceLocation?.line == line
        }
    }
}
