import Foundation

/// A pattern for the segments of a path.
struct PathTemplate: Sendable {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
        case any
        case rest
    }

    let text: String
    let segments: [Segment]

    /// The mistake in an invalid template, which no path matches.
    let problem: String?

    init(_ path: String) {
        text = path.hasPrefix("/") ? path : "/" + path
        segments = RecordedRequest.encodedSegments(of: text).map(Segment.init)
        problem = PathTemplate.problem(in: text, segments)
    }

    /// Returns the values of the parameters in a path, or `nil` if the path does not match.
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
            return "\(text.dropFirst()) is a URL. Pass its path, and match its host with .host(_:)"
        }
        if text.contains("?") {
            return "\(text) contains a query. Match it with .query(_:_:)"
        }
        if let rest = segments.firstIndex(of: .rest), rest < segments.count - 1 {
            return "\(text) continues after **, which matches the rest. End the path with **"
        }
        for (piece, segment) in zip(RecordedRequest.encodedSegments(of: text), segments) {
            guard case .literal = segment, piece.contains(where: "{}*".contains) else { continue }
            return "\(text) has a placeholder in a part of the segment \"\(piece)\". Replace the "
                + "whole segment, or percent-encode the characters {, } and *"
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
            self = .literal(text.removingPercentEncoding ?? text)
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
