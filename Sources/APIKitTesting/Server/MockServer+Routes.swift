import APIKit
import Foundation

extension MockServer {
    /// Answers requests that match a pattern with replies.
    ///
    /// The last route registered wins. Several replies are a sequence, whose last one repeats.
    ///
    /// - Parameters:
    ///   - pattern: The requests to answer.
    ///   - replies: The replies in turn; none is an empty 200.
    ///   - times: How many requests the route serves at the most, the next going to an earlier
    ///     route, and how many it must serve at the least, which is checked at the end of the test.
    ///     Left out, it must serve as many as there are replies and may serve more.
    ///   - fileID: The place to report failures at.
    ///   - filePath: The place to report failures at.
    ///   - line: The place to report failures at.
    ///   - column: The place to report failures at.
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
            pattern, .replies(replies), times: times,
            at: SourceCodeLocation(fileID, filePath, line, column))
    }

    /// Answers requests that match a pattern with what a closure makes of each.
    ///
    /// The closure runs in a task that inherits the task-local values of the caller of `on`, and on
    /// no thread of the loading system: it may wait, and an expectation in it is one of the test.
    ///
    /// - Parameters:
    ///   - pattern: The requests to answer.
    ///   - times: How many requests the route serves at the most and must serve at the least; left
    ///     out, at least one.
    ///   - fileID: The place to report failures at.
    ///   - filePath: The place to report failures at.
    ///   - line: The place to report failures at.
    ///   - column: The place to report failures at.
    ///   - respond: Makes the response; what it throws is thrown to the code under test.
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
        return add(
            pattern,
            .responder { request in try await context.perform { try await respond(request) } },
            times: times,
            at: SourceCodeLocation(fileID, filePath, line, column))
    }

    private func add(
        _ pattern: RequestPattern, _ script: Route.Script, times: Times?,
        at location: SourceCodeLocation
    ) -> Route {
        let problem = pattern.problem ?? script.problem
        return state.withLock { state in
            let route = Route(
                pattern, script: script, times: times, number: state.routes.count,
                location: location)
            state.routes.append(route)
            state.index.insert(route)
            if let problem {
                route.markReported()
                state.failures.append(TestFailure(wrongRoute: problem, at: location))
            }
            return route
        }
    }
}

extension MockServer.Route.Script {
    /// What is wrong with the replies, if anything.
    fileprivate var problem: String? {
        guard case .replies(let replies) = self else { return nil }
        return replies.lazy.compactMap(\.problem).first
    }
}
