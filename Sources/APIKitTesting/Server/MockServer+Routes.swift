import APIKit
import Foundation

extension MockServer {
    /// Adds a route that responds to the requests that match a pattern.
    ///
    /// The route registered last takes precedence. It uses its replies in turn, and repeats the last.
    ///
    /// - Parameters:
    ///   - pattern: The requests to respond to.
    ///   - replies: The replies in turn. Without any, the reply is an empty 200.
    ///   - times: The number of requests that the route serves. Further requests go to an earlier
    ///     route, except that `.never` fails them. Fewer requests fail the test when it ends. By
    ///     default, the route serves any number of requests, and requires one for each reply.
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
    ) -> Route {
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
    ///   - times: The number of requests that the route serves. By default, at least one.
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
    ) -> Route {
        let context = TaskContext()
        let location = SourceCodeLocation(fileID, filePath, line, column)
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
    ) -> Route {
        let failure = (pattern.problem ?? problem).map {
            TestFailure(invalidRoute: $0, at: location)
        }
        return state.withLock { state in
            let route = Route(
                pattern, replies: failure.map { [.response(.failure($0))] } ?? replies,
                times: times, number: state.routes.count, location: location)
            state.routes.append(route)
            state.index.insert(route)
            if let failure { state.add(failure) }
            return route
        }
    }
}
