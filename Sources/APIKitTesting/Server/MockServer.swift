import APIKit
import Foundation

/// A scripted server for the code under test.
///
/// Each server receives only the requests of its own sessions, so any number of tests can run at the
/// same time in one process. Pass its session to the code under test, add routes with `on`, and read
/// the requests that it received.
///
/// ```swift
/// @Suite(.mockServer) struct UsersTests {
///     let server = MockServer.current
///
///     @Test func decodesAUser() async throws {
///         server.on(.get("/users/42"), reply: .json(User(id: 42, name: "Ada")))
///         #expect(try await UsersClient(session: server.session).user(42).name == "Ada")
///     }
/// }
/// ```
///
/// A request without a matching route fails the test when the test ends. Without such a request, a
/// route that received too few requests fails the test. The `.mockServer` trait and
/// `XCTestCase.mockServer()` check that automatically. The trait also checks every other server that
/// the test creates. Elsewhere call ``verify()``.
///
/// No request reaches the network without `.passthrough` or a ``Cassette`` that records, even after
/// the server is released.
/// Sessions do not retain their server: keep it while they are in use. When it is released, loads in
/// progress fail. A responder that uses its own server must capture it as `unowned`, because a strong
/// capture makes a retain cycle.
public final class MockServer: Sendable {
    struct State {
        var routes: [Route] = []
        var index = RouteIndex()
        /// The cassettes in use, whose entries respond after the routes.
        var tapes: [Tape] = []
        var journal: [RecordedRequest] = []
        /// The responses to the requests of the journal.
        var played: [PlayedResponse] = []
        /// The requests that `nextRequest` has not returned, by their indices in the journal.
        var unread: [Int] = []
        var failures: [TestFailure] = []
        /// Whether the routes report no shortfall, because another failure may be its cause.
        private(set) var hidesShortfalls = false
        var session: URLSession?
        var scopes: [ObjectIdentifier] = []

        /// Adds the failure of an unhandled request or of an invalid route.
        mutating func add(_ failure: TestFailure) {
            failures.append(failure)
            hidesShortfalls = true
        }
    }

    let clock: any Clock<Duration>
    let unhandled: UnhandledPolicy
    let state = Locked(State())
    /// The number of requests that have arrived.
    let arrivals = WatchedCount()
    let loads = PendingLoads()
    let scope: TestScope?
    /// The hint of errors if nothing verifies the server at the end of its test.
    let hint: String?

    /// Creates a server without routes.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for requests without a matching route.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail
    ) {
        self.clock = clock
        scope = TestScope.current
        let advice =
            TestFailure.hasCurrentTest
            ? "The test does not have the trait .mockServer. Without it,"
            : "In an XCTest, make the server with mockServer() of the test. Otherwise,"
        hint = scope == nil ? "\(advice) only server.verify() reports this request." : nil
        if case .reply(let response) = unhandled, let problem = response.problem {
            let failure = TestFailure(invalidRoute: problem, at: nil)
            self.unhandled = .reply(.failure(failure))
            state.withLock { $0.add(failure) }
        } else {
            self.unhandled = unhandled
        }
        scope?.add(self)
    }

    /// Creates a server that responds to every request with the result of a closure.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures delays.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    ///   - respond: Makes the response. The code under test receives any error that it throws.
    public convenience init(
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column,
        respond: @escaping @Sendable (RecordedRequest) async throws -> MockResponse
    ) {
        self.init(clock: clock)
        on(
            .any, times: .anyNumber, fileID: fileID, filePath: filePath, line: line,
            column: column, respond: respond)
    }

    deinit {
        loads.failAll()
        Scope.remove(state.withLock { $0.scopes })
        let state = state.withLock { $0 }
        scope?.collect(state.failures, shortfalls: state.shortfalls)
        for tape in state.tapes where scope == nil && tape.isAbandoned {
            Notice.write(
                """
                \(tape.cassette.shownPath) is not written, because nothing has verified its server. \
                Add the trait .mockServer, use mockServer() in an XCTest, or call verify().
                """)
        }
    }

    /// All requests that arrived, in order, including those without a matching route.
    public var requests: [RecordedRequest] {
        state.withLock { $0.journal }
    }

    /// Returns the requests that match a pattern, in order of arrival.
    ///
    /// An invalid pattern fails the test when it ends.
    public func requests(matching pattern: RequestPattern) -> [RecordedRequest] {
        if let failure = TestFailure(of: pattern, at: nil) {
            state.withLock { $0.failures.append(failure) }
        }
        return requests.filter(pattern.matches)
    }
}
