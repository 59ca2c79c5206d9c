import APIKit
import Foundation

extension HARFile {
    /// The lines after a recording, without secrets: the names of masked values, and the names of
    /// values that look random and were left, but no UUIDs, hashes, entity tags and request IDs.
    var report: String {
        let placeholders = ByteStrings(placeholders: placeholders)
        var masked: [String: Int] = [:]
        var left: [String: [String]] = [:]
        for (index, entry) in entries.enumerated() {
            for (name, text, part) in entry.namedValues {
                let found = placeholders.values(in: text).count
                if found > 0 { masked[name, default: 0] += found }
                let words = Array(placeholders.replacing(in: text, with: Redaction.mask).utf8)
                    .split { !Self.wordBytes.contains($0) }
                for word in words where Self.looksLikeASecret(word, name.lowercased()) {
                    left[name, default: []].append("entry \(index + 1), \(part)")
                }
            }
        }
        var list = LimitedList(showing: 7)
        for (name, count) in masked.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            list.add("\(name.shortened(to: 40)) \(count)")
        }
        var lines = LimitedList(showing: 7)
        for (name, places) in left.sorted(by: { $0.key < $1.key }) {
            lines.add(
                "looks random and was left: \(name.shortened(to: 60)), \(places.count) times, "
                    + "first in \(places[0].shortened(to: 80))")
        }
        return "\(masked.values.reduce(0, +)) secrets masked"
            + (masked.isEmpty ? "" : ": " + list.textOnOneLine) + lines.text(of: "name")
    }

    private static let wordBytes = ByteSet.alphanumerics.union("_-.+~")

    private static func looksLikeASecret(_ word: ArraySlice<UInt8>, _ name: String) -> Bool {
        let shape = TextShape(String(decoding: word, as: UTF8.self))
        let isHash = word.count >= 24 && word.allSatisfy(ByteSet.hexDigits.contains)
        let identifiers = [
            "etag", "if-none-match", "request-id", "trace-id", "cf-ray", "traceparent",
        ]
        return word.count >= 12 && shape.isRandom() && !shape.isUUID && !isHash
            && !identifiers.contains(where: name.hasSuffix)
    }
}

extension HAREntry {
    /// The texts of the entry with their names, or else with the names of their places.
    fileprivate var namedValues: [(name: String, text: String, part: String)] {
        let reply = Request(
            method: "GET", url: request.url, headers: response.headers, body: response.body)
        let messages = [
            ("request", request, Matching([.path, .query(), .body])),
            ("response", reply, Matching([.body])),
        ]
        return messages.flatMap { message, content, matching in
            let fields = content.headers.filter { $0.name.lowercased() != "content-type" }
                .map { ($0.name, $0.value, "\(message) header field \($0.name)") }
            let form = content.recorded.map { matching.form(of: $0) } ?? RequestForm()
            return form.values.sorted { $0.key < $1.key }.reduce(into: fields) { values, item in
                let isURL = item.key == "path" || item.key.string.hasPrefix("query.")
                let part = isURL ? "URL" : "\(message) body"
                let name = RequestForm.lastName(of: item.key.string)
                values += item.value.map { (name.isEmpty ? part : name, $0.text, part) }
            }
        }
    }
}

extension RequestForm {
    /// Returns the name of a query item, field, part or JSON member, without its path.
    fileprivate static func lastName(of name: String) -> String {
        let rest = String(name.drop { $0 != "." }.dropFirst())
        if name.hasPrefix("json") { return JSONPath(name)?.memberName ?? rest }
        guard name.hasPrefix("part."), let end = rest.lastIndex(of: ".") else { return rest }
        return String(rest[..<end])
    }
}
