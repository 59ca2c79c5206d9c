import APIKit

/// The failure text for a request without a matching route.
struct UnhandledReport {
    let text: String
    /// The route that the report is about.
    let closest: MockServer.Route?

    init(_ request: RecordedRequest, routes: [MockServer.Route]) {
        let body = request.shownBody.map { "\n  body: \($0)" } ?? ""
        let heading = "Unhandled request: \(request)\(body)"
        // Of equally close routes, the one registered last takes precedence.
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
                The server has no routes. To reply to this request, add
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
                ? """
                \(heading)
                The route \(name) forbids this request by times: .never. Remove the request, or change \
                the times.
                """
                : """
                \(heading)
                The route \(name) has already replied \(counted(route.requests.count)), its maximum. \
                Raise its times, or add another route.
                """
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
        // A different path is a different resource, so it outweighs every other difference.
        let path = route.pattern.path?.distance(from: request.pathSegments) ?? 0
        distance = differences.count + path * 10
    }
}

extension PathTemplate {
    /// Returns the number of segments of a path to change, add or remove until it matches.
    fileprivate func distance(from path: [String]) -> Int {
        if parameters(in: path) != nil { return 0 }
        let path = compared(path)
        let fixed = segments.last == .rest ? segments.dropLast() : segments[...]
        let wrong = zip(fixed, path).filter { !$0.accepts($1) }.count
        let isOpen = segments.last == .rest
        let missing = max(0, fixed.count - path.count)
        return wrong + missing + (isOpen ? 0 : max(0, path.count - fixed.count))
    }
}
