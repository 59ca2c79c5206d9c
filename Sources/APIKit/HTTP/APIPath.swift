import Foundation

/// A path below the base URL, in which interpolated values are percent-encoded.
///
/// Literal text keeps its delimiters and percent escapes. An interpolated value is encoded as part of
/// one segment, so a slash or a question mark in `name` cannot change the resource of
/// `"dogs/\(name)"`. Building a request throws if a value makes its segment empty, or if a path with
/// values has a part `.` or `..` between slashes or backslashes. Some servers decode `%2F` before they
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
}

extension APIPath {
    /// The path that a string interpolation builds.
    public struct StringInterpolation: StringInterpolationProtocol {
        private(set) var text = ""
        /// The offsets of the empty values in the text.
        private var emptyValues: [Int] = []
        private var refused: String?

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends literal text.
        public mutating func appendLiteral(_ literal: String) {
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
            refused = refused ?? path.problem
            text += path.text
        }

        private mutating func append(_ value: String) {
            if value.isEmpty { emptyValues.append(text.utf8.count) }
            text += PercentEncoding.value(value)
        }

        var problem: String? {
            if let refused { return refused }
            let path = Array(text.utf8.prefix { !"?#".utf8.contains($0) })
            let isEmpty = emptyValues.contains { offset in
                (offset == 0 || path.hasText("/", at: offset - 1))
                    && (offset == path.count || path.hasText("/", at: offset))
            }
            let part = isEmpty ? "" : path.dotSegment
            return part.map {
                "a value makes a segment of its path \"\($0)\", which would change the path"
            }
        }
    }
}

extension Collection<UInt8> {
    /// The first `.` or `..` between slashes or backslashes, if there is one.
    ///
    /// A server resolves such segments (RFC 3986, section 5.2.4), and some decode `%2F` before.
    var dotSegment: String? {
        guard contains(where: ".%".utf8.contains) else { return nil }
        return percentDecoded().split(whereSeparator: "/\\".utf8.contains).map(\.text)
            .first { $0 == "." || $0 == ".." }
    }
}
