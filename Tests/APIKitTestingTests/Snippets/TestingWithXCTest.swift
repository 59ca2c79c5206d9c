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
