import APIKit
import Foundation

/// A scripted server: one object, one isolated world.
///
/// A server answers the sessions that it makes and no others, so any number of tests can run at the
/// same time in one process. Give its session to the code under test, script it with `on`, and read
/// what it received.
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
/// It is strict: a request that no route answers, and a route that no request asked for, both fail
/// the test when it ends. The `.mockServer` trait and `XCTestCase.mockServer()` check that
/// automatically, the trait also for servers that the test makes by hand; elsewhere call
/// ``verify()``.
///
/// No request reaches the network unless you ask for `.passthrough`, not even after the server is
/// released. Sessions do not retain their server: keep it while they are in use. When it is
/// released, loads in progress fail with an error that says so. (A responder that uses its own
/// server should capture it as `unowned`, or the two retain each other for ever.)
public final class MockServer: Sendable {
    struct State {
        var routes: [Route] = []
        var index = RouteIndex()
        var journal: [RecordedRequest] = []
        /// The places in the journal that `nextRequest` has returned.
        var taken: Set<Int> = []
        var failures: [TestFailure] = []
        var session: URLSession?
        var scopes: [ObjectIdentifier] = []
    }

    let clock: any Clock<Duration>
    let unhandled: UnhandledPolicy
    let state = Locked(State())
    /// How many requests have arrived.
    let arrivals = WatchedCount()
    /// The loads that are under way.
    let loads = PendingLoads()
    private let scope: TestScope?

    /// Creates a server without routes.
    ///
    /// - Parameters:
    ///   - clock: The clock that delays pass on.
    ///   - unhandled: What happens to a request that no route answers.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail
    ) {
        self.clock = clock
        self.unhandled = unhandled
        scope = TestScope.current
        if case .reply(let response) = unhandled, let problem = response.problem {
            state.withLock { $0.failures.append(TestFailure(wrongRoute: problem, at: nil)) }
        }
        scope?.add(self)
    }

    /// Creates a server that answers every request with a closure.
    ///
    /// - Parameters:
    ///   - clock: The clock that delays pass on.
    ///   - fileID: The place to report failures at.
    ///   - filePath: The place to report failures at.
    ///   - line: The place to report failures at.
    ///   - column: The place to report failures at.
    ///   - respond: Makes the response; what it throws is thrown to the code under test.
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
        loads.end()
        ScopeRegistry.remove(state.withLock { $0.scopes })
        scope?.collect(takeFailures(includingShortfalls: true))
    }

    /// The requests that arrived, in order, answered or not.
    public var requests: [RecordedRequest] {
        state.withLock { $0.journal }
    }

    /// Returns the requests that arrived and match a pattern, in order.
    public func requests(matching pattern: RequestPattern) -> [RecordedRequest] {
        requests.filter(pattern.matches)
    }

    /// The server of the running test, made by the `.mockServer` trait.
    ///
    /// Without the trait the test fails with advice, and the server is one that nothing verifies.
    public static var current: MockServer {
        if let server = TestScope.current?.server { return server }
        TestFailure(
            """
            MockServer.current has no server. Add the trait .mockServer to the test or its suite; \
            in XCTest, use lazy var server = mockServer().
            """,
            at: nil
        ).record()
        return MockServer()
    }
}
