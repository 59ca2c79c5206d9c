import APIKit
import Foundation

/// The error of an unhandled request, which has no matching route.
///
/// The code under test receives the error. If the test verifies the server, the request also fails the
/// test, even if the code ignores the error. Such a request never reaches the network.
public struct UnhandledRequestError: Error {
    /// The request.
    public let request: RecordedRequest

    /// The request, the closest route, and the differences between them.
    public let description: String
}

extension UnhandledRequestError: CustomStringConvertible, LocalizedError, CustomNSError,
    ErrorWithoutSecrets
{
    /// The description.
    public var errorDescription: String? { description }

    // On Apple platforms a URL session keeps only the domain, code and user info of an error.
    /// The description as the localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// The advice on an unhandled request.
struct UnhandledAdvice {
    let request: RecordedRequest
    /// The routes of the server.
    let routes: [MockRoute]
    /// What replies after the routes.
    let source: (any ReplySource)?
    /// A route that matches the request on another server of the test.
    let other: MockRoute?

    var text: String {
        let all = (source?.routes ?? []) + routes
        let compared = ComparedRequest(
            request, written: routes.map(\.pattern.text).joined(separator: ", "))
        let (closest, omission) = closest(of: all, to: compared)
        if closest == nil, let other {
            return """
                Another server of this test has a route for it: \(other.name). Use the session of \
                that server.
                """
        }
        guard !routes.isEmpty || source != nil else {
            return """
                The server has no routes. To reply to this request, add
                  server.on(\(request.pattern), reply: .json(…))
                """
        }
        let remedy = source?.advice ?? ""
        if let closest { return remark(on: closest, compared) + omission + remedy }
        let list = LimitedList(all, showing: 20, line: \.name)
        return source == nil
            ? "No route is close to this request. The routes are:\(list.lines(noun: "route"))"
            : "No recorded request is close to this request. The server replies to:"
                + "\(all.isEmpty ? " nothing" : list.lines(noun: "request"))\(remedy)"
    }

    /// Returns the reason why the closest route does not reply.
    private func remark(on closest: MockRoute, _ compared: ComparedRequest) -> String {
        let isEntry = closest.entry != nil
        var differences = LimitedList()
        closest.pattern.addDifferences(from: compared, to: &differences)
        if differences.count > 0 {
            return "The closest \(isEntry ? "entry" : "route") is \(closest.name):"
                + differences.lines(noun: "difference")
                + (isEntry && differences.isVolatile
                    ? "\nIf these values change with each run, name them: "
                        + "matching: [.method, .url, .body, .ignoring(\"ts\")]."
                    : "")
        }
        let count = closest.requests.count
        return "The \(isEntry ? "entry" : "route") \(closest.name) has already replied "
            + "\(counted(count)), its maximum. "
            + (isEntry
                ? "To use it again, pass options: [.repeatsLastEntry]."
                : "To allow more, pass times: .atLeast(\(count)), or add another route.")
    }

    /// Returns the closest route, or `nil` if none is close, and how many were not compared.
    ///
    /// A route whose method and path match is closest, then a route with another method, then a
    /// route with a similar path. Among equally close routes, the route with the fewest differences
    /// is closest. There is one exception: a route with conditions, such as a body, that differs
    /// only in its method is closer than a route whose conditions do not match. A forbidding route
    /// is never returned.
    ///
    /// The thread of the caller serves all sessions. So of many routes with a large body, only the last
    /// ones are compared.
    private func closest(
        of routes: [MockRoute], to compared: ComparedRequest
    ) -> (MockRoute?, omission: String) {
        func rank(_ route: MockRoute, _ closeness: Closeness) -> (Int, Closeness, Int) {
            let count = route.pattern.differenceCount(from: compared)
            let isOnlyMethod =
                closeness == .otherMethod && count == 1 && route.pattern.hasConditions
            return (count == 0 || isOnlyMethod ? 0 : 1, closeness, count)
        }
        // Of equally close routes, the one registered last takes precedence.
        let close = routes.reversed().filter { !$0.isForbidding }
            .map { (route: $0, closeness: $0.pattern.closeness(to: request)) }
            .filter { $0.closeness != .distant }.sorted { $0.closeness < $1.closeness }
        let limit = max(20, 100_000 / (compared.body.values.count + 1))
        let best = close.prefix(limit).map { (route: $0.route, rank: rank($0.route, $0.closeness)) }
            .min { $0.rank < $1.rank }
        let omission =
            "\nThe body is large, so only \(limit) of \(close.count) close routes were compared."
        return (best?.route, close.count > limit ? omission : "")
    }
}

extension MockRoute {
    /// The pattern and the source location, for messages.
    var name: String { "\(pattern) (\(entry ?? location.text))" }
}

extension RecordedRequest {
    /// The pattern for this request, as Swift code.
    fileprivate var pattern: String {
        let isNamed = [.get, .post, .put, .patch, .delete, .head].contains(method)
        let path = shownPath.shortened(to: 400)
        return isNamed
            ? ".\(method.rawValue.lowercased())(\"\(path)\")"
            : ".method(\"\(method)\", \"\(path)\")"
    }
}
