#if (os(macOS) || os(Linux)) && compiler(>=6.2)
import APIKit
import APIKitTesting
import Foundation
import Testing

/// Only XCTest tests set `MockURLProtocol.requestHandler`, so it is `nil` here.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct MissingHandlerTests {
    // In another process, because the issue belongs to no test, so none can expect it.
    @Test func requestFailsWithAdviceAndFailsTheRun() async throws {
        let issues = try await recordedIssues {
            await #expect(processExitsWith: .success) {
                let configuration = URLSessionConfiguration.ephemeral
                configuration.protocolClasses = [MockURLProtocol.self]
                let session = URLSession(configuration: configuration)
                let error = await #expect(throws: (any Error).self) {
                    try await session.send(.make("PUT", "/dogs?api_key=secret"))
                }
                #expect(
                    error?.localizedDescription == """
                        https://api.example.com/dogs?api_key=*** was requested, but \
                        MockURLProtocol.requestHandler is nil. Set it before the request is made.
                        """)
            }
        }

        #expect(issues.count == 1)
        #expect(issues.first.map { "\($0)".contains("dogs?api_key=*** was requested") } == true)
    }
}
#endif
