import APIKit
import Foundation

/// A scripted server for the code under test.
///
/// A server receives only the requests of its sessions, so any number of tests can run at the same
/// time in one process. Pass its session to the code under test, add routes with `on`, and read
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
/// An *unhandled request*, which has no matching route, fails the test when the test ends. So does a
/// route that received too few requests, unless there is an unhandled request. The `.mockServer` trait and
/// `XCTestCase.mockServer()` check that automatically. The trait also checks every other server that
/// the test creates. Elsewhere call ``verify()``.
///
/// Requests reach the network only by `.passthrough` and by a ``Cassette`` that records or checks, even
/// after the server is released. On watchOS, where a session asks no custom protocol, this holds if the
/// server is the transport of a client.
///
/// Sessions do not retain their server: keep it while they are in use. When it is released, loads in
/// progress fail. A response closure that uses its own server must capture it as `unowned`, because
/// a strong capture makes a retain cycle.
public final class MockServer: Sendable {
    struct State {
        var routes: [MockRoute] = []
        var index = RouteIndex()
        /// What replies after the routes.
        var source: (any ReplySource)?
        /// The requests in the order of their arrival, with their responses.
        var journal: [RecordedExchange] = []
        /// The exchanges in progress with sessions, by the number of their first request.
        var deliveries: [Int: Delivery] = [:]
        /// The requests that `nextRequest` has not returned, by their indices in the journal.
        var unread = IndexSet()
        var failures: [TestFailure] = []
        /// Whether the routes report no shortfall, because another failure may be its cause.
        private(set) var hidesShortfalls = false
        /// Stops the ports of the server when it is released.
        var stopPorts: [@Sendable () -> Void] = []
        var scopes: [ObjectIdentifier] = []
        /// The location of failures without a location, in an XCTest.
        var location: SourceCodeLocation?
        /// Whether the server has been released, although its test still keeps the state.
        var isReleased = false

        /// Adds the failure of an unhandled request or of an invalid route.
        mutating func add(_ failure: TestFailure) {
            failures.append(failure)
            hidesShortfalls = true
        }
    }

    let clock: any Clock<Duration>
    let unhandled: UnhandledPolicy
    let state = Locked(State())
    /// The session for the code under test, unless nothing has asked for it.
    let ownSession = Locked<URLSession?>(nil)
    /// The number of requests that have arrived.
    let arrivals = WatchedCount()
    let scope: TestScope?
    /// Whether a test of Swift Testing has made the server.
    private let hasCurrentTest = TestFailure.hasCurrentTest

    /// Creates a server without routes.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures delays.
    ///   - unhandled: The policy for unhandled requests.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        unhandled: UnhandledPolicy = .fail
    ) {
        self.clock = clock
        scope = TestScope.current
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
        let state = state.withLock { state in
            state.isReleased = true
            return state
        }
        for (number, delivery) in state.deliveries {
            delivery.fail(with: MockLoadingError.serverIsGone(state.journal[number].request.url))
        }
        for stop in state.stopPorts { stop() }
        SessionScope.remove(state.scopes)
        if scope == nil { state.source?.warnOfUnfinished(after: state) }
    }

    /// The hint at the end of errors, if no test verifies the server.
    var hint: String? {
        if let scope { return scope.isOver ? TestScope.hintWhenOver : nil }
        let advice =
            hasCurrentTest
            ? "The test does not have the trait .mockServer. Without it,"
            : """
            In Swift Testing, make the server in a task of the test, not in a detached task. In an \
            XCTest, make it with mockServer() of the test. Otherwise,
            """
        return "\(advice) only server.verify() reports this request."
    }

    /// All requests that arrived, in order, including unhandled requests.
    public var requests: [RecordedRequest] {
        state.withLock { $0.journal }.map(\.request)
    }

    /// Returns the requests that match a pattern, in order of arrival.
    ///
    /// An invalid pattern fails the test when it ends.
    public func requests(matching pattern: RequestPattern) -> [RecordedRequest] {
        if let failure = TestFailure(of: pattern, at: nil) {
            state.withLock { $0.failures.append(failure) }
        }
        return state.withLock { $0.journal }
            .compactMap { pattern.matches($0.request) ? $0.request : nil }
    }
}

extension MockServer {
    /// Adds a route that responds to the requests that match a pattern.
    ///
    /// The route registered last takes precedence. It uses its replies in turn, and repeats the last.
    ///
    /// - Parameters:
    ///   - pattern: The requests to respond to.
    ///   - replies: The replies in turn. Without any, the reply is an empty 200.
    ///   - times: The number of requests that the route serves. Further requests go to an earlier
    ///     route, except that `0` fails them. Fewer requests fail the test when it ends. By
    ///     default, the route requires a request for each reply. It serves further requests too,
    ///     except for POST and PATCH.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    /// - Returns: The route, which holds the requests that it served.
    @discardableResult
    public func on(
        _ pattern: RequestPattern,
        reply replies: MockResponse...,
        times: Times? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) -> MockRoute {
        add(
            pattern, replies.map(Reply.response), times: times,
            problem: replies.lazy.compactMap(\.problem).first,
            at: SourceCodeLocation(fileID, filePath, line, column))
    }

    /// Adds a route whose closure responds to the requests that match a pattern.
    ///
    /// The closure runs in a task that inherits the task-local values of the caller of `on`, so its
    /// expectations belong to the test. It may await, but must not block its thread, because all
    /// tasks of the process share a few threads.
    ///
    /// - Parameters:
    ///   - pattern: The requests to respond to.
    ///   - times: The number of requests that the route serves. By default, at least one, and
    ///     exactly one for POST and PATCH.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    ///   - respond: Makes the response. The code under test receives any error that it throws.
    /// - Returns: The route, which holds the requests that it served.
    @discardableResult
    public func on(
        _ pattern: RequestPattern,
        times: Times? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column,
        respond: @escaping @Sendable (RecordedRequest) async throws -> MockResponse
    ) -> MockRoute {
        let location = SourceCodeLocation(fileID, filePath, line, column)
        let context = TaskContext()
        let responder = Reply.responder { [weak self] request in
            let response = try await context.perform { try await respond(request) }
            guard let problem = response.problemOfResponder else { return response }
            let failure = TestFailure(invalidRoute: problem, at: location)
            self?.state.withLock { $0.add(failure) }
            throw failure
        }
        return add(pattern, [responder], times: times, problem: nil, at: location)
    }

    private func add(
        _ pattern: RequestPattern, _ replies: [Reply], times: Times?, problem: String?,
        at location: SourceCodeLocation
    ) -> MockRoute {
        let failure = (pattern.problem ?? problem).map {
            TestFailure(invalidRoute: $0, at: location)
        }
        return state.withLock { state in
            let route = MockRoute(
                pattern, replies: failure.map { [.response(.failure($0))] } ?? replies,
                times: times, number: state.routes.count, location: location)
            state.routes.append(route)
            state.index.insert(route)
            if let failure { state.add(failure) }
            return route
        }
    }
}

/// The policy of a server for unhandled requests, which have no matching route.
///
/// It does not apply to requests that a ``Cassette`` replays or records.
public enum UnhandledPolicy: Sendable {
    /// Throws ``UnhandledRequestError`` to the code under test, and fails the test.
    case fail

    /// Replies with a response, such as ``MockResponse/passthrough``, and does not fail the test.
    case reply(MockResponse)
}
