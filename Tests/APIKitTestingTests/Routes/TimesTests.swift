import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct TimesTests {
    @Test(arguments: [
        (Times.once, 1...1), (3, 3...3), (0, 0...0), (.atLeast(1), 1...9), (.anyNumber, 0...9),
        (.atLeast(2), 2...9), (.atMost(2), 0...2),
    ])
    func timesAcceptsTheExpectedCounts(times: Times, counts: ClosedRange<Int>) async throws {
        for count in 0...4 {
            let server = MockServer()
            server.on(.any, reply: .status(200), times: times)
            for _ in 0..<count { _ = await Result { try await server.status(.make()) } }

            #expect(server.failures.isEmpty == counts.contains(count), "after \(count) requests")
        }
    }

    @Test(arguments: [Times.atLeast(.max), .atLeast(.min), .atMost(.max)])
    func timesAcceptsExtremeCounts(times: Times) async throws {
        let server = MockServer()
        let route = server.on(.any, reply: .text("ok"), times: times)
        defer { route.remove() }

        #expect(try await server.text("/") == "ok")
        #expect(!"\(times)".isEmpty)
    }

    @Test(arguments: [Int.min, -1])
    func negativeCountMeansNever(count: Int) {
        #expect(Times(integerLiteral: count) == 0)
        #expect(Times.atMost(count) == 0)
    }

    @Test(arguments: [
        (Times.once, "exactly 1"), (0, "none"), (.anyNumber, "any number"),
        (.atLeast(2), "at least 2"), (.atMost(4), "at most 4"),
    ])
    func timesDescribesItself(times: Times, text: String) {
        #expect("\(times)" == text)
    }
}
