import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct MockServerTraitTests {
    let server = MockServer.current

    @Test func storedServerIsTheServerOfTheTest() {
        #expect(server === MockServer.current)
    }

    @Test(arguments: 0..<10)
    func eachArgumentHasItsOwnServer(number: Int) async throws {
        server.on(.get("/same"), reply: .text("\(number)"), times: .once)

        #expect(try await server.session.text("/same") == "\(number)")
        #expect(server.requests.count == 1)
    }

    @Test func childTaskHasTheServerOfItsTest() async {
        let isSame = await Task { MockServer.current === server }.value

        #expect(isSame)
    }

    @Test func serverIsReleasedWhenItsTestEnds() async throws {
        struct Weak { weak var server: MockServer? }
        let released = Locked(Weak())

        try await MockServerTrait.mockServer.provideScope(
            for: try #require(Test.current), testCase: nil
        ) {
            let server = MockServer.current
            server.on(.any, times: .anyNumber) { _ in .status(200) }
            released.withLock { $0.server = server }
        }

        #expect(released.withLock { $0.server } == nil)
    }

    @Test func traitsOfATestPrepareOneServer() async throws {
        let folder = try RecordingFolder()
        try folder.write([.make("GET", "/a", reply: "a")], "a")
        try folder.write([.make("GET", "/b", reply: "b")], "b")
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        let (first, second) = (folder.cassette("a"), folder.cassette("b"))

        try await MockServerTrait.mockServer(replaying: first)
            .provideScope(for: test, testCase: testCase) { [server] in
                try await MockServerTrait.mockServer(replaying: second)
                    .provideScope(for: test, testCase: testCase) { [server] in
                        #expect(MockServer.current === server)
                        let texts = (
                            try await server.session.text("/a"), try await server.session.text("/b")
                        )
                        #expect(texts == ("a", "b"))
                    }
            }
    }

    @Suite struct Nested {
        @Test func nestedSuiteHasAServer() async throws {
            MockServer.current.on(.any, reply: .text("nested"))

            #expect(try await MockServer.current.session.text("/") == "nested")
        }
    }
}
