import APIKit

/// The explanation of a request that no route answers.
struct UnhandledReport {
    let text: String
    /// The route that the report is about.
    let closest: MockServer.Route?

    init(_ request: RecordedRequest, routes: [MockServer.Route]) {
        let body = request.shownBody.map { "\n  body: \($0)" } ?? ""
        let heading = "Unhandled request: \(request)\(body)"
        // The last registered of those that come equally close, as it would have been chosen.
        let closest = routes.reversed().filter { !$0.isRemoved }
            .map { Candidate($0, request) }
            .min { $0.distance < $1.distance }
        guard let closest else {
            self.closest = nil
            let isNamed = [.get, .post, .put, .patch, .delete, .head].contains(request.method)
            let pattern =
                isNamed
                ? ".\(request.method.rawValue.lowercased())(\"\(request.path)\")"
                : ".method(\"\(request.method)\", \"\(request.path)\")"
            text = """
                \(heading)
                The server has no routes. To answer this request, add
                  server.on(\(pattern), reply: .json(…))
                """
            return
        }
        let (route, differences) = (closest.route, closest.differences)
        self.closest = route
        let name = "\(route.pattern) (\(route.location.text))"
        if differences.isEmpty {
            text =
                route.times == .never
                ? "\(heading)\nIt must never be made, says the route \(name)."
                : "\(heading)\nThe route \(name) has already served \(counted(route.requests.count)), as often as it may."
        } else {
            text =
                "\(heading)\nThe closest route is \(name):"
                + differences.map { "\n  - \($0)" }.joined()
        }
    }
}

private struct Candidate {
    let route: MockServer.Route
    let differences: [String]
    let distance: Int

    init(_ route: MockServer.Route, _ request: RecordedRequest) {
        self.route = route
        differences = route.pattern.differences(from: request)
        // Another path makes another resource; nothing else makes so great a difference.
        let path = route.pattern.path?.distance(from: request.pathSegments) ?? 0
        distance = differences.count + path * 10
    }
}

extension PathTemplate {
    /// How many segments of a path would have to be others, added or removed.
    fileprivate func distance(from path: [String]) -> Int {
        if parameters(in: path) != nil { return 0 }
        let fixed = segments.last == .rest ? segments.dropLast() : segments[...]
        let wrong = zip(fixed, path).filter { !$0.accepts($1) }.count
        let isOpen = segments.last == .rest
        let missing = max(0, fixed.count - path.count)
        return wrong + missing + (isOpen ? 0 : max(0, path.count - fixed.count))
    }
}
