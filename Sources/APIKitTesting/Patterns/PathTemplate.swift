import APIKit
import Foundation

/// A pattern for the segments of a path, or a regular expression for the whole path.
struct PathTemplate: Sendable {
    enum Segment: Sendable, Hashable {
        case literal(ExactText)
        case parameter(String)
        case any
        case rest
    }

    /// The path in the description of a pattern.
    let text: String
    /// The expected path in a failure.
    let expectation: String
    let segments: [Segment]
    /// Whether a path only has to end with the segments.
    let isSuffix: Bool

    /// The mistake in an invalid template, which no path matches.
    let problem: String?

    /// Returns the named captures of a regular expression.
    private var captures: (@Sendable (_ path: String) -> [String: String]?)?

    init(_ path: String) {
        text = path.hasPrefix("/") ? path : "/" + path
        let segments = RecordedRequest.encodedSegments(of: text).map(Segment.init)
        isSuffix = segments.count > 1 && segments.first == .rest
        self.segments = isSuffix ? Array(segments.dropFirst()) : segments
        expectation = text
        problem = PathTemplate.problem(in: text, segments)
    }

    /// Creates a template from segments instead of a text.
    init(_ segments: [Segment], isSuffix: Bool = false, text: String, expectation: String) {
        (self.text, self.expectation) = (text, expectation)
        (self.segments, self.isSuffix, problem) = (segments, isSuffix, nil)
    }

    /// Creates a template for a regular expression, made for each path because it is not `Sendable`.
    init<Output>(_ regex: @escaping @Sendable () -> Regex<Output>) {
        let expectation = "a whole match of the regular expression"
        self.init([.rest], text: "path: \(expectation)", expectation: expectation)
        captures = { path in
            path.wholeMatch(of: Regex<AnyRegexOutput>(regex())).map { match in
                match.output.reduce(into: [:]) { parameters, capture in
                    guard let name = capture.name, let text = capture.substring else { return }
                    parameters[name] = String(text)
                }
            }
        }
    }

    /// Returns the segments of a path that are compared with the template.
    func compared(_ path: [String]) -> ArraySlice<String> {
        isSuffix ? path.suffix(segments.count) : path[...]
    }

    /// Returns the values of the parameters in a path, or `nil` if the path does not match.
    func parameters(in path: [String], ignoringCase: Bool = false) -> [String: String]? {
        guard problem == nil else { return nil }
        if let captures { return captures("/" + path.joined(separator: "/")) }
        var parameters: [String: String] = [:]
        var rest = compared(path)
        for segment in segments {
            if segment == .rest { return parameters }
            guard let text = rest.popFirst(), segment.accepts(text, ignoringCase: ignoringCase)
            else { return nil }
            if case .parameter(let name) = segment { parameters[name] = text }
        }
        return rest.isEmpty ? parameters : nil
    }

    /// Whether the template does not match just any path.
    var hasText: Bool { captures != nil || segments.contains { !$0.text.isEmpty } }

    /// Returns why a path does not match, if it differs only in its trailing slash or its case.
    func remark(on path: [String]) -> String {
        let other = path.last?.isEmpty == true ? path.dropLast() : path + [""]
        if parameters(in: other) != nil { return " (only the trailing slash differs)" }
        return parameters(in: path, ignoringCase: true) == nil ? "" : " (only the case differs)"
    }

    private static func problem(in text: String, _ segments: [Segment]) -> String? {
        // A regex is parsed each time, which takes longer than all the rest of a route.
        if text.contains("://"),
            let url = text.prefixMatch(of: #//\w+://([^/:?]*)[^/?]*([^?]*)/#)
        {
            let (host, path) = (url.output.1, url.output.2)
            return """
                \(text.dropFirst()) is a URL. Pass the path "\(path.isEmpty ? "/" : path)", and match \
                the host by .host("\(host)")
                """
        }
        if text.contains("?") {
            return "\(text) contains a query. Match it with .query(_:_:)"
        }
        if let rest = segments.dropFirst().firstIndex(of: .rest),
            rest < segments.count - 1 || segments.first == .rest
        {
            return "\(text) has ** in its middle or twice. Write it once, at the start or the end"
        }
        var names: Set<String> = []
        for (piece, segment) in zip(RecordedRequest.encodedSegments(of: text), segments) {
            switch segment {
            case .parameter(let name) where !names.insert(name).inserted:
                return "\(text) has two placeholders with the name \"\(name)\". Rename one of them"
            case .literal where piece == "{}":
                return "\(text) has a placeholder without a name. Name it, or write * instead"
            case .literal where piece.contains(where: "{}*".contains):
                return
                    "\(text) has a placeholder in a part of the segment \"\(piece)\". Replace the "
                    + "whole segment, or percent-encode the characters {, } and *"
            default: continue
            }
        }
        return nil
    }
}

extension PathTemplate.Segment {
    init(_ text: String) {
        switch text {
        case "**": self = .rest
        case "*": self = .any
        case _ where text.count > 2 && text.hasPrefix("{") && text.hasSuffix("}"):
            self = .parameter(String(text.dropFirst().dropLast()))
        default: self = .literal(ExactText(text[...].percentDecoded()))
        }
    }

    /// The text, or an empty one for a placeholder.
    var text: String { if case .literal(let text) = self { text.string } else { "" } }

    var isPlaceholder: Bool { if case .parameter = self { true } else { self == .any } }

    func accepts(_ segment: String, ignoringCase: Bool) -> Bool {
        switch self {
        case .literal(let text):
            ignoringCase
                ? segment.lowercased() == text.string.lowercased() : ExactText(segment) == text
        case .parameter, .any: !segment.isEmpty
        case .rest: true
        }
    }
}
