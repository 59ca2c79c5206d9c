/// The closeness of a request to a pattern, with the closest case first.
enum Closeness: Comparable {
    /// The method and the path match.
    case matching
    /// The path matches, and only the method differs.
    case otherMethod
    /// The method matches, and the path has one difference: its case, a segment with at most two
    /// different characters, one extra or missing segment, or further segments at the start.
    case similarPath
    /// The method matches, and one segment differs in any way, but the segments after it match.
    case otherSegment
    /// The request is not similar.
    case distant
}

extension RequestPattern {
    /// Whether the pattern compares more than the method and the target.
    var hasConditions: Bool {
        nodes.contains { if case .condition = $0 { true } else { false } }
    }

    /// Returns the closeness of a request, without regard to conditions.
    func closeness(to request: RecordedRequest) -> Closeness {
        let differing = nodes.map { $0.closeness(to: request) }.filter { $0 != .matching }
        guard let first = differing.first else { return .matching }
        guard differing.count == 1 else { return .distant }
        // A path without text, such as `/**`, matches any path.
        let hasText = nodes.contains { node in
            switch node {
            case .path(let template): template.hasText
            // Its patterns have already asked this.
            case .either: true
            default: false
            }
        }
        return first == .otherMethod && !hasText ? .distant : first
    }
}

extension RequestPattern.Node {
    fileprivate func closeness(to request: RecordedRequest) -> Closeness {
        switch self {
        case .method(let method): request.method == method ? .matching : .otherMethod
        case .path(let template): template.closeness(to: request.pathSegments)
        case .either(let first, let second):
            min(first.closeness(to: request), second.closeness(to: request))
        case .query, .condition, .not: .matching
        }
    }
}

extension PathTemplate {
    fileprivate func closeness(to path: [String]) -> Closeness {
        if parameters(in: path) != nil { return .matching }
        let isOpen = segments.last == .rest
        let fixed = isOpen ? segments.dropLast() : segments[...]
        let path = isOpen ? path.prefix(fixed.count) : compared(path)
        let start = zip(fixed, path).prefix { $0.accepts($1, ignoringCase: true) }.count
        let (rest, pathRest) = (fixed.dropFirst(start), path.dropFirst(start))
        let end = zip(rest.reversed(), pathRest.reversed())
            .prefix { $0.accepts($1, ignoringCase: true) }.count
        let (missing, extra) = (rest.dropLast(end), pathRest.dropLast(end))
        let hasText = (fixed.prefix(start) + fixed.suffix(end)).contains { !$0.text.isEmpty }
        if missing.count == 1, extra.count == 1 {
            if zip(missing, extra).allSatisfy({ $1.isSimilar(to: $0.text) }) { return .similarPath }
            // The segments before it are often the same in all routes, such as "/v1".
            return end > 0 && hasText ? .otherSegment : .distant
        }
        guard missing.isEmpty || extra.isEmpty, hasText else { return .distant }
        return start == 0 || missing.count + extra.count <= 1 ? .similarPath : .distant
    }
}

extension String {
    /// Returns whether the texts differ in at most two characters, ignoring case.
    fileprivate func isSimilar(to other: String) -> Bool {
        // The difference takes the product of the sizes.
        guard utf8.count + other.utf8.count < 500 else { return false }
        let changes = lowercased().difference(from: other.lowercased())
        return Swift.max(changes.insertions.count, changes.removals.count) <= 2
    }
}
