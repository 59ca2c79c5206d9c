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

    /// Returns the routes that may match a path, in lists in the order of registration.
    func candidates(for path: [String]) -> [[MockRoute]] {
        var lists: [[MockRoute]] = []
        RouteIndex.collect(path[...], in: root, into: &lists)
        RouteIndex.collect(ArraySlice(path.reversed()), in: reversedRoot, into: &lists)
        return lists
    }

    private static func insert(
        _ route: MockRoute, _ path: ArraySlice<PathTemplate.Segment>, into node: inout Node
    ) {
        guard var segment = path.first else { return node.routes.append(route) }
        if segment.isPlaceholder { segment = .any }
        insert(route, path.dropFirst(), into: &node.children[segment, default: Node()])
    }

    private static func collect(
        _ path: ArraySlice<String>, in node: Node, into lists: inout [[MockRoute]]
    ) {
        if let open = node.children[.rest] { lists.append(open.routes) }
        guard let segment = path.first else {
            if !node.routes.isEmpty { lists.append(node.routes) }
            return
        }
        for key in [.literal(ExactText(segment)), PathTemplate.Segment.any] {
            if let next = node.children[key] { collect(path.dropFirst(), in: next, into: &lists) }
        }
    }
}

/// The routes of several lists, the last registered first.
struct LastFirst: Sequence, IteratorProtocol {
    private var lists: [ArraySlice<MockRoute>]

    init(_ lists: [[MockRoute]]) {
        self.lists = lists.map { $0[...] }
    }

    mutating func next() -> MockRoute? {
        let latest = lists.indices.max { first, second in
            (lists[first].last?.number ?? -1) < (lists[second].last?.number ?? -1)
        }
        return latest.flatMap { lists[$0].popLast() }
    }
}
