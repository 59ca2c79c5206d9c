import Foundation

/// The pattern of a path, segment by segment.
struct PathTemplate: Sendable {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
        case any
        case rest
    }

    let text: String
    let segments: [Segment]

    /// What is wrong with the template, if anything: the pattern can then match nothing.
    let problem: String?

    init(_ path: String) {
        text = path.hasPrefix("/") ? path : "/" + path
        segments = PathTemplate.pieces(of: text).map(Segment.init)
        problem = PathTemplate.problem(in: text, segments)
    }

    /// The segments of a path, decoded; a slash at the end makes an empty last one.
    static func segments(of path: String) -> [String] {
        let isEncoded = path.utf8.contains(UInt8(ascii: "%"))
        return isEncoded ? pieces(of: path).map(decoded) : pieces(of: path)
    }

    private static func pieces(of path: String) -> [String] {
        let path = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    fileprivate static func decoded(_ segment: String) -> String {
        segment.removingPercentEncoding ?? segment
    }

    /// Returns the values of the parameters in a path, or `nil` if the path is another one.
    func parameters(in path: [String]) -> [String: String]? {
        guard problem == nil else { return nil }
        var parameters: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if segment == .rest { return parameters }
            guard index < path.count, segment.accepts(path[index]) else { return nil }
            if case .parameter(let name) = segment { parameters[name] = path[index] }
        }
        return path.count == segments.count ? parameters : nil
    }

    private static func problem(in text: String, _ segments: [Segment]) -> String? {
        if text.contains("://") {
            return "\(text.dropFirst()) is a URL: give its path, and its host with .host(_:)"
        }
        if text.contains("?") {
            return "\(text) holds a query: ask for it with .query(_:_:)"
        }
        if let rest = segments.firstIndex(of: .rest), rest < segments.count - 1 {
            return "\(text) goes on after **, which stands for the rest of the path"
        }
        for (piece, segment) in zip(pieces(of: text), segments) {
            guard case .literal = segment, piece.contains(where: "{}*".contains) else { continue }
            return "\(text) has a placeholder that is only a part of its segment, \"\(piece)\""
        }
        return nil
    }
}

extension PathTemplate.Segment {
    init(_ text: String) {
        if text == "**" {
            self = .rest
        } else if text == "*" {
            self = .any
        } else if text.count > 2, text.hasPrefix("{"), text.hasSuffix("}") {
            self = .parameter(String(text.dropFirst().dropLast()))
        } else {
            self = .literal(PathTemplate.decoded(text))
        }
    }

    func accepts(_ segment: String) -> Bool {
        switch self {
        case .literal(let text): segment == text
        case .parameter, .any: !segment.isEmpty
        case .rest: true
        }
    }
}
