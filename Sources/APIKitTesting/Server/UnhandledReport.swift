import APIKit
import Foundation

/// The failure text for a request without a matching route.
struct UnhandledReport {
    private let request: RecordedRequest
    /// The request without the secrets of the cassettes.
    private let shown: RecordedRequest
    private let advice: String
    /// Whether the request may belong to an invalid route, whose failure the test reports.
    private(set) var namesInvalidRoute = false

    /// Creates the report for a request that a route forbids.
    init(_ request: RecordedRequest, forbiddenBy route: MockServer.Route, tapes: [Tape]) {
        self.request = request
        shown = tapes.reduce(request) { $0.masked(for: $1.cassette) }
        advice = """
            The route \(route.name) forbids this request by times: .never. Remove the request, or \
            change the times.
            """
    }

    /// Creates the report for a request that none of the routes serves.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - routes: The routes of the server.
    ///   - tapes: The cassettes in use by the server.
    ///   - other: A route that matches the request on another server of the test.
    init(
        _ request: RecordedRequest, routes: [MockServer.Route], tapes: [Tape],
        ofAnotherServer other: MockServer.Route?
    ) {
        let request = request.decodingOnce
        self.request = request
        shown = tapes.reduce(request) { $0.masked(for: $1.cassette) }
        let routes = routes.filter { !$0.isRemoved }
        let mistakes = routes.compactMap { route in
            route.pattern.problem.map { TestFailure(invalidRoute: $0, at: route.location) }
        }
        guard mistakes.isEmpty else {
            var list = LimitedList()
            for mistake in mistakes { list.add("\(mistake)") }
            advice =
                "This request may belong to an invalid route. Correct that first:"
                + list.text(of: "invalid route")
            namesInvalidRoute = true
            return
        }
        let all = tapes.flatMap(\.playlist.routes) + routes
        let closest = UnhandledReport.closest(to: request, of: all)
        if closest == nil, let other {
            advice = """
                Another server of this test has a route for it: \(other.name). Use the session of \
                that server.
                """
            return
        }
        // A new recording is a remedy of every miss.
        let remedy = tapes.last.map { "\n\($0.advice)" } ?? ""
        guard !routes.isEmpty || !tapes.isEmpty else {
            advice = """
                The server has no routes. To reply to this request, add
                  server.on(\(request.pattern), reply: .json(…))
                """
            return
        }
        guard let closest else {
            var list = LimitedList(showing: 20)
            for route in all { list.add(route.name) }
            advice =
                tapes.isEmpty
                ? "No route is close to this request. The routes are:\(list.text(of: "route"))"
                : "No recorded request is close to this request. The server replies to:"
                    + "\(all.isEmpty ? " nothing" : list.text(of: "request"))\(remedy)"
            return
        }
        var differences = LimitedList()
        closest.pattern.addDifferences(from: request, to: &differences)
        let noun = closest.entry == nil ? "route" : "entry"
        let remark =
            if differences.count > 0 {
                "The closest \(noun) is \(closest.name):\(differences.text(of: "difference"))"
            } else {
                "The \(noun) \(closest.name) has already replied "
                    + "\(counted(closest.requests.count)), its maximum. "
                    + (closest.entry == nil
                        ? "Raise its times, or add another route."
                        : "To use it again, pass repeatsLastEntry: true.")
            }
        advice = remark + remedy
    }

    /// The failure, which an error may also contain.
    var failure: TestFailure {
        let body = shown.shownBody.map { "\n  body: \($0)" } ?? ""
        let source = shown.redirectSource.map { " (redirected from \($0))" } ?? ""
        let heading = "Unhandled request: \(shown)\(source)".shortened(to: 500)
        // The error of a client may name the request elsewhere than this text, but only once. The
        // client does not know the secrets of the cassettes.
        let url = Redaction.text(of: request.url)
            .commonPrefix(with: Redaction.text(of: shown.url), options: .literal)
        let rest = "\(body)\n\(advice)"
        return TestFailure(
            heading + rest, at: nil, excerpts: [String(url.unicodeScalars.prefix(400)), rest])
    }

    /// Returns the closest route, or `nil` if none is close.
    ///
    /// A route whose method and path match is closer than one with another method, and that is
    /// closer than one with a similar path. Among those, fewer differences are closer. A forbidding
    /// route is never the intended one.
    private static func closest(
        to request: RecordedRequest, of routes: [MockServer.Route]
    ) -> MockServer.Route? {
        let ranked = routes.filter { !$0.isForbidding }
            .map { (route: $0, closeness: $0.pattern.closeness(to: request)) }
        guard let best = ranked.map(\.closeness).min(), best != .distant else { return nil }
        // Of equally close routes, the one registered last takes precedence.
        return ranked.reversed().filter { $0.closeness == best }
            .map { (route: $0.route, count: $0.route.pattern.differenceCount(from: request)) }
            .min { $0.count < $1.count }?.route
    }
}

extension MockServer.Route {
    /// The pattern and the source location, for messages.
    fileprivate var name: String { "\(pattern) (\(entry ?? location.text))" }
}

extension RecordedRequest {
    /// The pattern for this request, in Swift.
    fileprivate var pattern: String {
        let isNamed = [.get, .post, .put, .patch, .delete, .head].contains(method)
        let path = shownPath.shortened(to: 400)
        return isNamed
            ? ".\(method.rawValue.lowercased())(\"\(path)\")"
            : ".method(\"\(method)\", \"\(path)\")"
    }
}
