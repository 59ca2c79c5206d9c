import APIKit
import Foundation

/// A report of the values that a recording masks, and of values that look random and were left.
///
/// After each recording, the description of the report is printed to standard error. It names no
/// secret.
public struct RecordingReport: Sendable {
    /// Values with one name that look random, or secrets that also occur without their name.
    public struct Finding: Sendable, Hashable {
        /// The name of the values, or their place if they have no name.
        public let name: String
        /// The number of values.
        public fileprivate(set) var count: Int
        /// The place of the first value, such as `entry 2, response body`.
        public let place: String
    }

    /// The number of placeholders in place of values, for each name.
    public private(set) var masked: [String: Int] = [:]
    /// The values that look random and have no placeholder, in the order in which they occur.
    public private(set) var left: [Finding] = []
    /// The number of UUIDs, hashes, entity tags and request IDs in the recording.
    public private(set) var identifiers: [String: Int] = [:]

    /// Reads a recording, or any other HAR file.
    ///
    /// - Throws: An error with the place if the file cannot be read.
    public init(contentsOf url: URL) throws {
        self.init(try HARFile(data: Data(contentsOf: url)))
    }

    init(_ file: HARFile, besides weakSecrets: [String: String] = [:]) {
        let placeholders = Set(file.placeholders)
        for (index, entry) in file.entries.enumerated() {
            let number = "entry \(index + 1)"
            if let coding = entry.request.recorded?.contentCoding, !entry.request.body.isEmpty {
                addLeft("a body in \(coding), which is not searched", "\(number), request body")
            }
            for part in entry.parts where part.name != "request header field Content-Type" {
                let place = "\(number), \(part.name)"
                add(part.bytes, in: part.name, at: place, placeholders)
                for (secret, name) in weakSecrets where secret.utf8.count >= 6 {
                    guard part.bytes.containsWord(Array(secret.utf8)) else { continue }
                    addLeft("the value of \(name) without its name", place)
                }
            }
        }
    }

    private mutating func add(
        _ bytes: [UInt8], in part: String, at place: String, _ placeholders: Set<String>
    ) {
        let all = 0..<bytes.count
        guard bytes.isText(all) else { return }
        for range in bytes.ranges(in: all, separatedBy: Self.separators) where range.count >= 4 {
            let word = Array(bytes[range])
            let text = String(decoding: word, as: UTF8.self)
            func name() -> String {
                var mark = range.lowerBound - 1
                while mark > 0, " \"'\\".utf8.contains(bytes[mark]) { mark -= 1 }
                guard mark > 0, "=:".utf8.contains(bytes[mark]) else { return part }
                return SecretSearch.name(before: mark, in: all, of: bytes)?.text ?? part
            }
            if placeholders.contains(text) || Placeholders.isOld(text) {
                masked[name(), default: 0] += 1
                continue
            }
            let shape = ValueShape(word)
            guard word.count >= 12, shape.isRandom else { continue }
            if let kind = Self.kind(ofIdentifier: shape, in: part.lowercased()) {
                identifiers[kind, default: 0] += 1
            } else {
                addLeft(name(), place)
            }
        }
    }

    /// Returns what a random word is by its place or its shape, or `nil` if it may be a secret.
    private static func kind(ofIdentifier shape: ValueShape, in part: String) -> String? {
        if [" etag", " if-none-match"].contains(where: part.hasSuffix) { return "entity tags" }
        if ["request-id", "trace-id", "cf-ray", "traceparent"].contains(where: part.hasSuffix) {
            return "request IDs"
        }
        return shape.isUUID ? "UUIDs" : shape.isHash ? "hashes" : nil
    }

    private mutating func addLeft(_ name: String, _ place: String) {
        if let index = left.firstIndex(where: { $0.name == name }) {
            left[index].count += 1
        } else {
            left.append(Finding(name: name, count: 1, place: place))
        }
    }

    private static let separators = ByteSet.alphanumerics.union("_-.+~").inverted
}

extension RecordingReport: CustomStringConvertible {
    /// At most ten lines: the masked names, and the names of random values that were left.
    public var description: String {
        let names = masked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let shown = names.prefix(8).map { "\($0.key.shortened(to: 40)) \($0.value)" }
        let rest = names.count > shown.count ? ", and \(names.count - shown.count) more names" : ""
        var lines = ["\(masked.values.reduce(0, +)) secrets masked"]
        if !shown.isEmpty { lines[0] += ": \(shown.joined(separator: ", "))\(rest)" }
        for finding in left.prefix(left.count > 7 ? 6 : 7) {
            lines.append(
                "  looks random and was left: \(finding.name.shortened(to: 60)), "
                    + "\(finding.count) times, first in \(finding.place.shortened(to: 80))")
        }
        if left.count > 7 { lines.append("  and \(left.count - 6) more names") }
        let counts = identifiers.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !counts.isEmpty { lines.append("  also \(counts.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }
}

extension Cassette {
    /// Returns the report of the recording beside the test.
    ///
    /// - Throws: An error if the file cannot be read.
    public func report() throws -> RecordingReport {
        try RecordingReport(contentsOf: recordedFile)
    }
}

extension [UInt8] {
    /// Returns whether the bytes contain a word that is not part of a longer word.
    fileprivate func containsWord(_ word: [UInt8]) -> Bool {
        Data(self).occurrences(of: Data(word)).contains { found in
            let ends = [found.lowerBound - 1, found.upperBound].filter(indices.contains)
            return ends.allSatisfy {
                !SecretSearch.nameParts.contains(self[$0]) || self[$0] == UInt8(ascii: ".")
            }
        }
    }
}
