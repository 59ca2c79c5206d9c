import APIKit
import Foundation
import XCTest

@testable import APIKitTesting

/// Uses a mock server in `setUp` and in tests of XCTest.
final class XCTestUsageTests: XCTestCase {
    lazy var server = mockServer()

    override func setUp() {
        server.on(.get("/session"), reply: .json(["token": "abc"]), times: .anyNumber)
    }

    func testSessionReceivesTheReply() async throws {
        server.on(.get("/users/1"), reply: .json(User(id: 1, name: "Ada")))

        let (data, _) = try await server.session.send(.make("GET", "/users/1"))

        XCTAssertEqual(try JSONDecoder().decode(User.self, from: data).name, "Ada")
        server.verify(.get("/users/1"))
    }

    func testLaterTeardownBlockRunsBeforeTheVerification() async throws {
        server.on(.get("/sign-out"), reply: .status(204))
        let session = server.session

        addTeardownBlock {
            let status = try await session.status(.make("GET", "/sign-out"))
            XCTAssertEqual(status, 204)
        }
    }

    func testFailureOfAnUnusedRouteNamesTheRemedyForTearDown() {
        let server = mockServer()
        server.on(.get("/sign-out"))

        let failures = server.scope?.takeFailures(includingShortfalls: true)

        XCTAssertEqual(
            failures?.map(\.message),
            [
                "GET /sign-out was requested 0 times, expected at least 1. "
                    + "Make and await the missing requests, or change the route's times. A request "
                    + "of tearDown() comes after this check: make it in an addTeardownBlock."
            ])
    }

    func testEachTestHasItsOwnServer() {
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testServerUsesItsClockAndPolicy() async throws {
        let server = mockServer(clock: ManualClock(), unhandled: .reply(.status(404)))

        let status = try await server.session.status(.make("GET", "/nothing"))

        XCTAssertEqual(status, 404)
    }

    func testCompletionHandlerReceivesTheReplyOfSetUp() {
        let completed = expectation(description: "completed")

        server.session.dataTask(with: .make("GET", "/session")) { data, response, error in
            XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
            XCTAssertNil(error)
            completed.fulfill()
        }.resume()

        wait(for: [completed], timeout: 60)
    }

    func testErrorOfAServerThatNothingVerifiesNamesTheMethod() async throws {
        let server = MockServer()

        do {
            _ = try await server.send(.make("GET", "/nothing"))
            XCTFail("The request has no route.")
        } catch {
            XCTAssertTrue(
                "\(error)".hasSuffix(
                    """

                    In Swift Testing, make the server in a task of the test, not in a detached task. \
                    In an XCTest, make it with mockServer() of the test. Otherwise, only \
                    server.verify() reports this request.
                    """))
        }
    }

    func testErrorNamesTheRouteOfAnotherServer() async throws {
        let other = mockServer(unhandled: .reply(.status(404)))
        other.on(.get("/dogs"), reply: .status(200), times: .anyNumber)
        let server = mockServer()

        do {
            _ = try await server.send(.make("GET", "/dogs"))
            XCTFail("The request has no route.")
        } catch {
            XCTAssertTrue("\(error)".hasSuffix("Use the session of that server."))
        }
        // The failure of the unhandled request has been expected.
        _ = server.state.takeFailures(includingShortfalls: true)
    }

    func testSkippedTestDoesNotReportItsRoutes() throws {
        server.on(.get("/never"), reply: .status(200))

        throw XCTSkip("This test sends no request to its route.")
    }
}
