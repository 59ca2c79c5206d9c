import APIKit
import Foundation

/// A report of the values that a recording masks, and of values that look random and were left.
///
/// After each recording, the description of the report is printed to standard error. It names no
/// secret.
public struct RecordingReport: Sendable {
    /// Values with one name that look random and have no placeholder.
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
    /// The values that look random, in the order in which they occur, but no UUIDs, hashes, entity
    /// tags and request IDs.
    public private(set) var left: [Finding] = []

    /// Reads a recording, or any other HAR file.
    ///
    /// - Throws: An error with the place if the file cannot be read.
    public init(contentsOf url: URL) throws {
        self.init(try HARFile(data: Data(contentsOf: url)))
    }

    init(_ file: HARFile) {
        let placeholders = PlaceholderSet(file.placeholders)
        for (index, entry) in file.entries.enumerated() {
            for (name, text, part) in entry.values {
                let found = placeholders.occurrences(in: text).count
                if found > 0 { masked[name, default: 0] += found }
                let words = Array(placeholders.masking(text).utf8)
                    .split(whereSeparator: Self.separators.contains)
                for word in words where Self.looksLikeASecret(word, name.lowercased()) {
                    addLeft(name, "entry \(index + 1), \(part)")
                }
            }
        }
    }

    private static func looksLikeASecret(_ word: ArraySlice<UInt8>, _ name: String) -> Bool {
        let shape = TextShape(String(decoding: word, as: UTF8.self))
        let isHash = word.count >= 24 && word.allSatisfy(ByteSet.hexDigits.contains)
        let identifiers = [
            "etag", "if-none-match", "request-id", "trace-id", "cf-ray", "traceparent",
        ]
        return word.count >= 12 && shape.isRandom() && !shape.isUUID && !isHash
            && !identifiers.contains(where: name.hasSuffix)
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
        var list = LimitedList(showing: 7)
        for finding in left {
            list.add(
                "looks random and was left: \(finding.name.shortened(to: 60)), \(finding.count) "
                    + "times, first in \(finding.place.shortened(to: 80))")
        }
        return "\(masked.values.reduce(0, +)) secrets masked"
            + (shown.isEmpty ? "" : ": \(shown.joined(separator: ", "))\(rest)")
            + list.text(of: "name")
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

extension HAREntry {
    /// The texts of the entry with their names, and with the names of their places.
    fileprivate var values: [(name: String, text: String, part: String)] {
        let (path, query) = request.url.split(at: "?")
        var values = [("URL", String(path), "URL")]
        for item in query.split(separator: "&") {
            let (name, value) = item.split(at: "=")
            values.append((String(name), value.removingPercentEncoding ?? String(value), "URL"))
        }
        for (fields, body, message) in [
            (request.headers, request.body, "request"),
            (response.headers, response.body, "response"),
        ] {
            for field in fields where field.name.lowercased() != "content-type" {
                values.append((field.name, field.value, "\(message) header field \(field.name)"))
            }
            let part = "\(message) body"
            var carrier = URLRequest(url: URL(fileURLWithPath: "/"))
            carrier.setValue(
                fields.value(named: "Content-Type"), forHTTPHeaderField: "Content-Type")
            let form = RequestForm(
                bodyOf: RecordedRequest(carrier, url: URL(fileURLWithPath: "/"), body: body))
            for (name, list) in form.values.sorted(by: { $0.key < $1.key }) {
                let name = name == "body" ? part : RequestForm.lastName(of: name.string)
                values += list.map { (name, $0.text, part) }
            }
        }
        return values
    }
}
