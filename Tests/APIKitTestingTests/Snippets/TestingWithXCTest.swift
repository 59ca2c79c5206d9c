import APIKit
import APIKitTesting
import Foundation
import XCTest

// snippet.case
final class DogPatchXCTests: XCTestCase {
    lazy var server = mockServer()
    lazy var patch = DogPatch(session: server.session)

    func testLoadsTheDogsOfABreed() async throws {
        server.on(.get("/v1/dogs"), reply: .json([Dog(id: 1, name: "Rex")]))

        let dogs = try await patch.dogs(of: "akita")

        XCTAssertEqual(dogs, [Dog(id: 1, name: "Rex")])
        server.verify(.get("/v1/dogs").query("breed", "akita"))
    }
}
// snippet.end

final class SetUpXCTests: XCTestCase {
    // snippet.setup
    lazy var server = mockServer(unhandled: .reply(.status(404)))

    override func setUp() {
        server.on(
            .get("/v1/breeds"), reply: .json(["akita", "boxer"]),
            times: .anyNumber)
    }
    // snippet.end

}

final class ThrowingXCTests: XCTestCase {
    lazy var server = mockServer()
    lazy var patch = DogPatch(session: server.session)

    // snippet.throws
    func testRefusalThrowsItsStatus() async {
        server.on(.get("/v1/dogs"), reply: .status(404))

        do {
            let dogs = try await patch.dogs(of: "wolf")
            XCTFail("The call returned \(dogs).")
        } catch {
            XCTAssertEqual((error as? APIError)?.kind, .status(404))
        }
    }
    // snippet.end
}

final class ClockXCTests: XCTestCase {
    let clock = ManualClock()
    lazy var server = mockServer(clock: clock)
    lazy var patch = DogPatch(session: server.session)

    func testWaitsForALateResponse() async throws {
        let patch = patch
        server.on(
            .get("/v1/dogs"),
            reply: .json([Dog(id: 1, name: "Rex")]).delayed(.seconds(3600)))

        async let dogs = patch.dogs(of: "akita")
        await clock.advanceToNextDeadline()

        let names = try await dogs.map(\.name)
        XCTAssertEqual(names, ["Rex"])
    }
}
