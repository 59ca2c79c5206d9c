/// The closeness of a request to a pattern, with the closest case first.
enum Closeness: Comparable {
    /// The method and the path match.
    case matching
    /// The path matches, and only the method differs.
    case otherMethod
    /// The method matches, and the path has one difference: a segment with at most two different
    /// characters, one extra or missing segment, or further segments at the start.
    case similarPath
    /// The method matches, and one segment differs in any way, but the segments after it match.
    case otherSegment
    /// The request is not similar.
    case distant
}

extension RequestPattern {
    /// Whether the pattern compares more than the method and the target.
    var hasConditions: Bool {
        conditions.contains {
            if case .condition(let condition) = $0 { condition.statedQuery == nil } else { false }
        }
    }
}

extension RequestPattern.Node {
    func closeness(to request: RecordedRequest) -> Closeness {
        switch self {
        case .method:
            return match(request) == nil ? .otherMethod : .matching
        case .path(let template):
            if match(request) != nil { return .matching }
            return template.closeness(to: request.pathSegments)
        case .expression:
            return match(request) == nil ? .distant : .matching
        case .all(let nodes):
            let differing = nodes.map { $0.closeness(to: request) }.filter { $0 != .matching }
            guard let first = differing.first else { return .matching }
            guard differing.count == 1 else { return .distant }
            // A path without text, such as `/**`, matches any path.
            return first == .otherMethod && !nodes.contains(where: \.hasPathText)
                ? .distant : first
        case .either(let first, let second):
            return min(first.closeness(to: request), second.closeness(to: request))
        case .condition, .not:
            return .matching
        }
    }

    private var hasPathText: Bool {
        switch self {
        case .path(let template): template.segments.hasText
        case .expression: true
        default: false
        }
    }
}

extension PathTemplate {
    /// Returns the closeness to a path that does not match.
    fileprivate func closeness(to path: [String]) -> Closeness {
        let isOpen = segments.last == .rest
        let fixed = isOpen ? segments.dropLast() : segments[...]
        let path = isOpen ? path.prefix(fixed.count) : compared(path)
        let start = zip(fixed, path).prefix { $0.accepts($1) }.count
        let (rest, pathRest) = (fixed.dropFirst(start), path.dropFirst(start))
        let end = zip(rest.reversed(), pathRest.reversed()).prefix { $0.accepts($1) }.count
        let (missing, extra) = (rest.dropLast(end), pathRest.dropLast(end))
        let common = Array(fixed.prefix(start) + fixed.suffix(end))
        if missing.count == 1, extra.count == 1 {
            // A placeholder accepts any segment that is not empty.
            guard case .literal(let text)? = missing.first else {
                return common.hasText ? .similarPath : .distant
            }
            if extra.first?.isSimilar(to: text) == true { return .similarPath }
            // The segments before it are often the same in all routes, such as "/v1".
            return end > 0 && common.hasText ? .otherSegment : .distant
        }
        guard missing.isEmpty || extra.isEmpty, common.hasText else { return .distant }
        return start == 0 || missing.count + extra.count == 1 ? .similarPath : .distant
    }
}

extension [PathTemplate.Segment] {
    /// Whether a segment is a text that is not empty.
    fileprivate var hasText: Bool {
        contains { if case .literal(let text) = $0 { !text.isEmpty } else { false } }
    }
}

extension String {
    /// Returns whether the texts differ in at most two characters, ignoring case.
    fileprivate func isSimilar(to other: String) -> Bool {
        lowercased()[...].isEqual(to: other.lowercased()[...], exceptFor: 2)
    }
}

extension Substring {
    fileprivate func isEqual(to other: Substring, exceptFor count: Int) -> Bool {
        let common = zip(self, other).prefix { $0 == $1 }.count
        let (rest, otherRest) = (dropFirst(common), other.dropFirst(common))
        if rest.isEmpty || otherRest.isEmpty {
            return Swift.max(rest.count, otherRest.count) <= count
        }
        guard count > 0 else { return false }
        return rest.dropFirst().isEqual(to: otherRest.dropFirst(), exceptFor: count - 1)
            || rest.dropFirst().isEqual(to: otherRest, exceptFor: count - 1)
            || rest.isEqual(to: otherRest.dropFirst(), exceptFor: count - 1)
    }
}
