import APIKit
import Foundation
import XCTest

@testable import APIKitTesting

/// Recordings in tests of XCTest.
final class XCTestRecordingTests: XCTestCase {
    func testServerWritesItsRecordingAfterTheTest() async throws {
        let folder = try RecordingFolder()
        let real = try LoopbackServer { _ in LoopbackServer.response(200, body: "real") }
        // Teardown blocks run in reverse order, so this one runs after that of the server.
        addTeardownBlock {
            XCTAssertEqual(try folder.entries().count, 1)
            // XCTest keeps the block, and thereby the directory.
            try FileManager.default.removeItem(at: folder.directory.url)
        }
        let server = TestRun.$current.withValue(.local) {
            mockServer(replaying: folder.cassette())
        }

        let (data, _) = try await server.session.send(URLRequest(url: real.url("/")))

        XCTAssertEqual(String(decoding: data, as: UTF8.self), "real")
        XCTAssertEqual(folder.names, [])
    }

    func testFailureNamesTheTest() throws {
        let folder = try RecordingFolder()
        let line = #line + 2
        let server = TestRun.$current.withValue(.local) {
            mockServer(replaying: folder.cassette(mode: .none), clock: ManualClock())
        }

        let failures = server.state.takeFailures(includingShortfalls: true)
        XCTAssertEqual(failures.map(\.location?.line), [line])
        XCTAssertEqual(
            failures.first?.message.contains(
                "swift test --filter XCTestRecordingTests/testFailureNamesTheTest\n"), true)
    }

    func testNameIsTheFileBesideTheTest() throws {
        let server = TestRun.$current.withValue(TestRun(environment: ["APIKIT_RECORD": "none"])) {
            mockServer(replaying: "no-such-recording", unhandled: .reply(.passthrough))
        }

        let failures = server.state.takeFailures(includingShortfalls: true)
        XCTAssertEqual(failures.first?.location.map { "\($0.filePath)" }, #filePath)
        XCTAssertEqual(failures.first?.message.contains("Recordings/no-such-recording.har"), true)
        XCTAssertEqual(
            server.state.withLock { $0.recordings?.tapes.first?.cassette.filePath }, #filePath)
    }
}
