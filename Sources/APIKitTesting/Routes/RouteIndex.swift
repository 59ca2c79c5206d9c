/// A server's routes as two trees of path segments, so that more routes do not slow a lookup.
struct RouteIndex: Sendable {
    private struct Node: Sendable {
        var literals: [ExactText: Node] = [:]
        /// The node below a placeholder for one segment, in an array because a struct cannot contain itself.
        var placeholder: [Node] = []
        /// The routes whose path ends at this node, in the order of registration.
        var ending: [MockRoute] = []
        /// The routes whose path has `**` at this node.
        var open: [MockRoute] = []
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
        switch path.first {
        case nil:
            node.ending.append(route)
        case .rest:
            node.open.append(route)
        case .literal(let text):
            insert(route, path.dropFirst(), into: &node.literals[text, default: Node()])
        case .parameter, .any:
            if node.placeholder.isEmpty { node.placeholder.append(Node()) }
            insert(route, path.dropFirst(), into: &node.placeholder[0])
        }
    }

    private static func collect(
        _ path: ArraySlice<String>, in node: Node, into lists: inout [[MockRoute]]
    ) {
        if !node.open.isEmpty { lists.append(node.open) }
        guard let segment = path.first else {
            if !node.ending.isEmpty { lists.append(node.ending) }
            return
        }
        if let next = node.literals[ExactText(segment)] {
            collect(path.dropFirst(), in: next, into: &lists)
        }
        for next in node.placeholder { collect(path.dropFirst(), in: next, into: &lists) }
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
