import APIKit
import Foundation

/// The exchanges of a file in the HTTP Archive format, version 1.2.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HARFile: Sendable {
    var entries: [RecordedExchange] = []
    /// The texts in place of secrets, in the order in which they occur, as `log._placeholders`.
    ///
    /// A placeholder looks like its secret, so only this list distinguishes it from a real
    /// value. Files of other tools have no list.
    var placeholders: [String] = []
    /// The mistakes in entries that cannot be read, with their places.
    var unreadable: [String] = []
}

extension HARFile {
    /// Reads a file of this package, a browser or a proxy.
    ///
    /// Ignores entries without a response, which have the status 0, and entries that a session
    /// cannot request: WebSockets, proxy tunnels, and URLs without HTTP.
    ///
    /// - Throws: A `DecodingError` with the place of a mistake, if no entry can be read.
    init(data: Data) throws {
        let log = try JSONDecoder().decode(HARTop.self, from: data).log
        placeholders = log._placeholders ?? []
        var mistake: DecodingError?
        for (index, item) in log.entries.enumerated() {
            do {
                let entry = try RecordedExchange(
                    item.exchange.get(), isFromHere: log.creator?.name == "APIKit")
                if let entry { entries.append(entry) }
            } catch {
                // `JSONDecoder` throws an internal error for a control character, half of a surrogate
                // pair and a number that is no JSON.
                let reason =
                    (error as? TestFailure)?.message
                    ?? "has a text or a number that is not valid JSON. Export it again"
                let context = DecodingError.Context(
                    codingPath: [], debugDescription: "log.entries[\(index)] \(reason)")
                let error = error as? DecodingError ?? .dataCorrupted(context)
                unreadable.append(error.reason())
                mistake = mistake ?? error
            }
        }
        if entries.isEmpty, let mistake { throw mistake }
    }

    /// The bytes of the file.
    var data: Data {
        get throws {
            let log = JSONValue.members([
                "version": "1.2", "creator": ["name": "APIKit", "version": "1"],
                "entries": .array(entries.map(\.json)),
                "_placeholders": placeholders.isEmpty
                    ? nil : .array(placeholders.map { .string($0) }),
            ])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(["log": log]) + Data("\n".utf8)
        }
    }
}
