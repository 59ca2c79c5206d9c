import APIKit
import Foundation

/// The entries of a file in the HTTP Archive format, version 1.2.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HARFile: Sendable, Equatable {
    var entries: [HAREntry] = []
    /// The texts in place of secrets, in the order in which they occur, as `log._placeholders`.
    ///
    /// A placeholder has the form of its secret, so only this list distinguishes it from a real
    /// value. Files of other tools have no list.
    var placeholders: [String] = []
    /// The mistakes in entries by the numbers of the entries, from 1.
    var unreadable: [Int: String] = [:]
}

extension HARFile {
    /// Reads a file of this package, a browser or a proxy.
    ///
    /// Ignores entries without a response, which have the status 0, and entries that a session
    /// cannot request: WebSockets, proxy tunnels, and URLs without HTTP.
    ///
    /// - Throws: A `DecodingError` with the place of a mistake, if no entry can be read.
    init(data: Data) throws {
        let json = data.withoutCallback
        // Few files need a repair, so look for the cause only after a mistake.
        if let file = try? HARFile(json: json), file.unreadable.isEmpty {
            self = file
        } else {
            self = try HARFile(json: json.repairedJSON)
        }
    }

    private init(json: Data) throws {
        let log = try JSONDecoder().decode(HARTop.self, from: json).log
        placeholders = log._placeholders ?? []
        var mistake: DecodingError?
        for (index, item) in log.entries.enumerated() {
            do {
                let entry = try HAREntry(
                    item.exchange.get(), isFromHere: log.creator?.name == "APIKit")
                if let entry { entries.append(entry) }
            } catch {
                // For some strings and numbers, `JSONDecoder` throws an internal error without place.
                let reason = (error as? TestFailure)?.message ?? "is malformed"
                let context = DecodingError.Context(
                    codingPath: [], debugDescription: "log.entries[\(index)] \(reason)")
                let error = error as? DecodingError ?? .dataCorrupted(context)
                unreadable[index + 1] = error.reason()
                mistake = mistake ?? error
            }
        }
        if entries.isEmpty, let mistake { throw mistake }
    }

    /// The bytes of the file, with the header fields of each message sorted by name.
    var data: Data {
        get throws {
            var log: [String: JSONValue] = [
                "version": "1.2", "creator": ["name": "APIKit", "version": "1"],
                "entries": .array(entries.map(\.json)),
            ]
            if !placeholders.isEmpty {
                log["_placeholders"] = .array(placeholders.map { .string($0) })
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(["log": log]) + Data("\n".utf8)
        }
    }
}

extension Data {
    /// The JSON without the function call around it, as in JSONP.
    fileprivate var withoutCallback: Data {
        let name = ByteSet.alphanumerics.union("_.")
        guard let open = firstIndex(where: { !name.contains($0) }), open > startIndex,
            self[open] == UInt8(ascii: "("), let close = lastIndex(of: UInt8(ascii: ")"))
        else { return self }
        return self[open..<Swift.max(open, close)].dropFirst()
    }

    /// The JSON without what some tools write and `JSONDecoder` refuses: halves of surrogate pairs,
    /// control characters in strings, and invalid UTF-8.
    fileprivate var repairedJSON: Data {
        let text = Array(String(decoding: self, as: UTF8.self).utf8)
        /// Returns the second digit of an escape such as `\ud83d`, or 0.
        func surrogate(at index: Int) -> UInt8 {
            guard index + 6 <= text.count, text[index...].starts(with: #"\u"#.utf8),
                case let digits = String(decoding: text[(index + 2)...].prefix(2), as: UTF8.self),
                let byte = UInt8(digits, radix: 16), byte >> 4 == 0xD
            else { return 0 }
            return byte & 0xF
        }
        var repaired: [UInt8] = []
        var (start, index, isInString) = (0, 0, false)
        while index < text.count {
            let byte = text[index]
            var (count, escape) = (1, String?.none)
            if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if byte == UInt8(ascii: "\\") {
                switch (surrogate(at: index), surrogate(at: index + 6)) {
                case (..<8, _): count = 2
                case (..<12, 12...): count = 12
                default: (count, escape) = (6, #"\ufffd"#)
                }
            } else if byte < 0x20, isInString {
                escape = String(format: #"\u%04x"#, byte)
            }
            if let escape {
                repaired += text[start..<index] + escape.utf8
                start = index + count
            }
            index += count
        }
        return Data(repaired + text[start...])
    }
}
