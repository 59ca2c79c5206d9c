import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct FailureReportingTests {
    private struct Planned: Error {}

    @Test func unrequestedRouteFailsTheTestAtItsLine() async throws {
        let line = #line + 2
        let issues = try await MockServer.issues { server in
            server.on(.get("/users"), reply: .status(200))
        }

        #expect(
            issues.map(\.text) == [
                "GET /users was requested 0 times, expected at least 1. "
                    + "Make and await the missing requests, or change the route's times."
            ])
        #expect(issues.first?.sourceLocation?.line == line)
        #expect(issues.first?.sourceLocation?.fileID == #fileID)
    }

    @Test func failureNamesTheLaterRouteThatServedTheRequests() async throws {
        let line = #line + 3
        let issues = try await MockServer.issues { server in
            server.on(.get("/users"), reply: .status(200))
            server.on(.get("/users"), reply: .status(200))
            server.on(.get("/dogs"), reply: .status(200))
            for path in ["/users", "/dogs"] { _ = try await server.send(.make("GET", path)) }
        }

        #expect(
            issues.map(\.text) == [
                """
                GET /users served 0 requests, expected at least 1. A later route \
                (FailureReportingTests.swift:\(line)) served requests that match. Remove one of the \
                routes.
                """
            ])
        #expect(issues.first?.sourceLocation?.line == line - 1)
    }

    @Test func unservedReplyFailsTheTest() async throws {
        let issues = try await MockServer.issues { server in
            server.on(.get("/a"), reply: .status(503), .status(503), .status(200))
            _ = try await server.session.send(.make("GET", "/a"))
        }

        #expect(
            issues.map(\.text) == [
                """
                GET /a served 1 of its 3 replies. Make the other requests, or remove the other replies.
                """
            ])
    }

    @Test func closureThatReturnsAnInvalidResponseIsOneFailure() async throws {
        let line = #line + 2
        let issues = try await MockServer.issues { server in
            server.on(.any) { _ in .status(0) }
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(
            issues.map(\.text) == [
                "FailureReportingTests.swift:\(line): A route is invalid: 0 is not the status of a "
                    + "final response. Use a number from 200 through 999"
            ])
    }

    @Test(arguments: [true, false])
    func thrownErrorSuppressesUnrequestedRoutes(serverIsReleased: Bool) async throws {
        let issues = try await MockServer.issues { server in
            let server = serverIsReleased ? MockServer() : server
            server.on(.get("/users"), reply: .status(200))
            throw Planned()
        }

        #expect(issues.count == 1)
        #expect(issues.first?.error is Planned)
    }

    @Test func serverCreatedInATestIsVerifiedWithIt() async throws {
        let issues = try await MockServer.issues { _ in
            let kept = MockServer()
            kept.on(.get("/kept"), reply: .status(200))
            MockServer().on(.get("/released"), reply: .status(200))
            withExtendedLifetime(kept) {}
        }

        #expect(issues.map(\.text).sorted().map { $0.prefix(8) } == ["GET /kep", "GET /rel"])
    }

    @Test func testThatUsesEachRoutePasses() async throws {
        let issues = try await MockServer.issues { server in
            server.on(.any, reply: .status(404), times: .anyNumber)
            server.on(.get("/users"), reply: .status(200))
            _ = try await server.session.send(.make("GET", "/users"))
        }

        #expect(issues.isEmpty)
    }

    @Test func failuresCarryMessageAndLocation() async {
        let server = MockServer()
        server.on(.get("/a"), reply: .status(200)); let line = #line

        let failure = server.failures.first
        #expect(failure?.message.hasPrefix("GET /a was requested 0 times, expected") == true)
        #expect(failure?.location.map { "\($0.filePath)" } == #filePath)
        #expect(
            failure.map { "\($0)" }
                == "FailureReportingTests.swift:\(line): \(failure?.message ?? "")")
    }

    @Test func currentServerWithoutTheTraitFailsWithAdvice() async throws {
        let issues = try await recordedIssues { #expect(MockServer.current.requests.isEmpty) }

        #expect(
            issues.map(\.text) == [
                "MockServer.current has no server. Add the trait .mockServer to the test or its suite."
            ])
        #expect(issues.first?.sourceLocation == Test.current?.sourceLocation)
    }

    #if (os(macOS) || os(Linux)) && compiler(>=6.2)
    // In another process, because the issue belongs to no test, so none can expect it.
    @Test func failureOfADetachedTaskFailsTheRun() async throws {
        let issues = try await recordedIssues {
            await #expect(processExitsWith: .success) {
                await Task.detached { _ = MockServer.current }.value
            }
        }

        let advice = "In Swift Testing, read it in a task of the test"
        #expect(issues.contains { "\($0)".contains(advice) })
    }
    #endif
}
