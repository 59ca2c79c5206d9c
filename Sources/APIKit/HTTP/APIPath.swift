import Foundation

/// A path below the base URL, in which interpolated values are percent-encoded.
///
/// Literal text keeps its delimiters and percent escapes. An interpolated value is encoded as part of
/// one segment, so a slash or a question mark in `name` cannot change the resource of
/// `"dogs/\(name)"`. Building a request throws if a value makes its segment empty, or if the segment
/// has a part `.` or `..` between slashes or backslashes. Some servers decode `%2F` before they
/// resolve such parts.
///
/// Text that starts with a scheme, `"https://…"`, is an absolute URL.
public struct APIPath: Sendable, ExpressibleByStringInterpolation {
    let text: String
    let problem: String?

    /// Creates a path from text that is treated like a literal, such as a path in a configuration.
    ///
    /// A link in a response is not a path below the base URL. Resolve it with
    /// `HTTPURLResponse.resolve(_:)`.
    public init(verbatim text: String) {
        self.init(stringLiteral: text)
    }

    /// Creates a path from a string literal.
    public init(stringLiteral text: String) {
        self.text = PercentEncoding.literal(text)
        problem = nil
    }

    /// Creates a path from an interpolated string literal.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        problem = stringInterpolation.problem
    }

    /// Whether the path starts with a scheme and `://`.
    var isAbsolute: Bool {
        // A fast path, because few texts have a colon.
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[colon...].hasPrefix("://")
        else { return false }
        return colon != text.startIndex
            && text[..<colon].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    }
}

extension APIPath {
    /// The path that a string interpolation builds.
    public struct StringInterpolation: StringInterpolationProtocol {
        private(set) var text = ""
        /// The current segment, as a server decodes it.
        private var segment = ""
        private var segmentHasValue = false
        private var isInPath = true
        private var refused: String?

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends literal text.
        public mutating func appendLiteral(_ literal: String) {
            var rest = literal[...]
            while isInPath, let end = rest.firstIndex(where: { "/?#".contains($0) }) {
                appendToSegment(rest[..<end])
                refused = problem
                (segment, segmentHasValue) = ("", false)
                isInPath = rest[end] == "/"
                rest = rest[end...].dropFirst()
            }
            appendToSegment(rest)
            text += PercentEncoding.literal(literal)
        }

        /// Appends a value, percent-encoded as part of one segment.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            append(value.description)
        }

        /// Appends the raw value of an identifier or an enumeration, percent-encoded.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible {
            append(value.rawValue.description)
        }

        /// Appends the text of an identifier.
        public mutating func appendInterpolation(_ value: UUID) {
            append(value.uuidString)
        }

        /// Appends the segments of a value such as `docs/read me.md`, each percent-encoded.
        ///
        /// A slash in the value separates segments. Building a request throws for a segment that is
        /// empty, and for one with a part `.` or `..`.
        public mutating func appendInterpolation(segments value: String) {
            let segments = value.split(separator: "/", omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                if index > 0 { appendLiteral("/") }
                append(String(segment))
            }
        }

        /// Appends another path without encoding it again, such as the common start of several paths.
        public mutating func appendInterpolation(_ path: APIPath) {
            refused = problem ?? path.problem
            appendLiteral(path.text)
        }

        var problem: String? {
            refused ?? refusedPart
        }

        private mutating func appendToSegment(_ literal: Substring) {
            guard !literal.isEmpty, isInPath else { return }
            segment += literal.removingPercentEncoding ?? String(literal)
        }

        private mutating func append(_ value: String) {
            text += PercentEncoding.value(value)
            segment += value
            segmentHasValue = true
        }

        private var refusedPart: String? {
            guard isInPath, segmentHasValue else { return nil }
            let part =
                segment.isEmpty
                ? "" : segment.split { "/\\".contains($0) }.first { $0 == "." || $0 == ".." }
            return part.map {
                "a value makes a segment of its path \"\($0)\", which would change the path"
            }
        }
    }
}
