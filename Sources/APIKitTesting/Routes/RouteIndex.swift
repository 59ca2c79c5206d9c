/// A server's routes as two trees of path segments, so that more routes do not slow a lookup.
struct RouteIndex: Sendable {
    private struct Node: Sendable {
        /// The routes whose path ends at this node, in the order of registration.
        var routes: [MockRoute] = []
        /// The nodes below a text, below any segment, and below `**`.
        var children: [PathTemplate.Segment: Node] = [:]
    }

    private var root = Node()
    /// The routes for the end of a path, by their segments from the last to the first.
    private var reversedRoot = Node()

    mutating func insert(_ route: MockRoute) {
        // A pattern that does not require one path, such as an alternative, could match any path.
        let segments = route.pattern.path?.segments ?? [.rest]
        if route.pattern.path?.isSuffix == true {
            RouteIndex.insert(route, segments.reversed() + [.rest], into: &reversedRoot)
        } else {
            RouteIndex.insert(route, segments[...], into: &root)
        }
    }

    /// Returns the routes that may match a path, the last registered first.
    func candidates(for path: [String]) -> [MockRoute] {
        var routes: [MockRoute] = []
        RouteIndex.collect(path[...], in: root, into: &routes)
        RouteIndex.collect(ArraySlice(path.reversed()), in: reversedRoot, into: &routes)
        return routes.sorted { $0.number > $1.number }
    }

    private static func insert(
        _ route: MockRoute, _ path: ArraySlice<PathTemplate.Segment>, into node: inout Node
    ) {
        guard var segment = path.first else { return node.routes.append(route) }
        if segment.isPlaceholder { segment = .any }
        insert(route, path.dropFirst(), into: &node.children[segment, default: Node()])
    }

    private static func collect(
        _ path: ArraySlice<String>, in node: Node, into routes: inout [MockRoute]
    ) {
        routes += node.children[.rest]?.routes ?? []
        guard let segment = path.first else { return routes += node.routes }
        for key in [.literal(ExactText(segment)), PathTemplate.Segment.any] {
            if let next = node.children[key] { collect(path.dropFirst(), in: next, into: &routes) }
        }
    }
}
