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
    /// value. Files of other tools have no list, and neither do older files, which contain
    /// `REDACTED-1`.
    var placeholders: [String] = []

    /// The entries with mistakes, which a file of this package does not have.
    var unreadable: [Unreadable] = []

    /// An entry with a mistake.
    struct Unreadable: Sendable, Equatable {
        /// The position in the file, from 1.
        let number: Int
        let error: JSONError
    }

    /// The name in `log.creator` of the files that this package writes.
    static let creator = "APIKit"
}

extension HARFile {
    /// Reads a file of this package, a browser or a proxy.
    ///
    /// Ignores entries without a response, which have the status 0, and entries that a session
    /// cannot request: WebSockets, proxy tunnels, and URLs without HTTP. Adds an entry with a
    /// mistake to `unreadable`, if other entries can be read.
    ///
    /// - Throws: A ``JSONError`` with the place of the mistake.
    init(data: Data) throws {
        self.init()
        try Self.withoutCallback(data).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, isLenient: true)
            var (isFromHere, hasEntries) = (false, false)
            try reader.readObject { reader, name in
                guard name == "log" else { return }
                try reader.readObject { reader, name in
                    switch name {
                    case "creator":
                        isFromHere = try reader.readStrings(named: ["name"])["name"] == Self.creator
                    case "entries":
                        hasEntries = true
                        try readEntries(from: &reader, decodedByUs: isFromHere)
                    case "_placeholders":
                        try reader.readArray { reader in
                            if let text = try reader.readString() { placeholders.append(text) }
                        }
                    default: break
                    }
                }
            }
            try reader.finish()
            guard hasEntries else {
                throw JSONError(place: "log.entries", reason: "expected an array")
            }
        }
        if entries.isEmpty, let mistake = unreadable.first { throw mistake.error }
    }

    private mutating func readEntries(
        from reader: inout JSONReader, decodedByUs isFromHere: Bool
    ) throws {
        var number = 0
        try reader.readArray { reader in
            number += 1
            let start = reader
            do {
                if let entry = try HAREntry(from: &reader, decodedByUs: isFromHere) {
                    entries.append(entry)
                }
            } catch let error as JSONError {
                // Skip the whole entry, or throw if it is not JSON.
                reader = start
                try reader.readObject { _, _ in }
                unreadable.append(Unreadable(number: number, error: error))
            }
        }
    }

    /// Returns the JSON without the function call around it, as in JSONP.
    private static func withoutCallback(_ data: Data) -> Data {
        guard let open = data.firstIndex(where: { !callbackParts.contains($0) }),
            open > data.startIndex, data[open] == UInt8(ascii: "("),
            let close = data.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return data }
        return data[(open + 1)..<close]
    }

    private static let callbackParts = ByteSet.alphanumerics.union("_.")
}

extension HARFile {
    /// The bytes of the file, which are the same for the same entries on every platform.
    ///
    /// The members are in the order of the specification, and header fields are sorted by name.
    /// Required members that tests do not use are empty, zero or -1.
    var data: Data {
        let log = OrderedJSON.object([
            "version": .string("1.2"),
            "creator": .object(["name": .string(Self.creator), "version": .string("1")]),
            "entries": .array(entries.map(\.json)),
            "_placeholders": .strings(placeholders),
        ])
        return OrderedJSON.object(["log": log]).data
    }
}

extension HAREntry {
    fileprivate var json: OrderedJSON {
        .object([
            "startedDateTime": .string(HARDate.text(of: startedAt)),
            "time": .milliseconds(wait),
            "request": request.json,
            "response": response.json,
            "cache": .object([:]),
            "timings": .object([
                "send": .number(0), "wait": .milliseconds(wait), "receive": .number(0),
            ]),
            "_tests": .strings(tests),
        ])
    }
}

extension HAREntry.Request {
    fileprivate var json: OrderedJSON {
        .object([
            "method": .string(method),
            "url": .string(url),
            "httpVersion": .string("HTTP/1.1"),
            "cookies": .array([]),
            "headers": headers.json,
            "queryString": .array([]),
            "postData": body.isEmpty ? nil : content,
            "headersSize": .number(-1),
            "bodySize": .number(hasBody ? Double(body.count) : -1),
        ])
    }

    private var content: OrderedJSON {
        let isText = body.utf8Text != nil
        return .object([
            "mimeType": .string(headers.value(named: "Content-Type") ?? ""),
            "text": .utf8(isText ? body : body.base64EncodedData()),
            // HAR 1.2 has no member for the encoding of a request.
            "_encoding": isText ? nil : .string("base64"),
        ])
    }
}

extension HAREntry.Response {
    fileprivate var json: OrderedJSON {
        .object([
            "status": .number(Double(status)),
            "statusText": .string(""),
            "httpVersion": .string("HTTP/1.1"),
            "cookies": .array([]),
            "headers": headers.json,
            "content": content,
            "redirectURL": .string(headers.value(named: "Location") ?? ""),
            "headersSize": .number(-1),
            "bodySize": .number(-1),
            "_error": error.map { .string($0) },
        ])
    }

    private var content: OrderedJSON {
        let contentType = headers.value(named: "Content-Type") ?? ""
        let isText =
            body.utf8Text != nil && HARContent.body(ofText: body, contentType: contentType) == body
        return .object([
            "size": .number(Double(body.count)),
            "mimeType": .string(contentType),
            "text": .utf8(isText ? body : body.base64EncodedData()),
            "encoding": isText ? nil : .string("base64"),
        ])
    }
}

extension [HAREntry.Field] {
    /// The fields in the order of their names.
    fileprivate var json: OrderedJSON {
        // `sorted` is stable, so equal names keep their order.
        let fields = sorted { $0.name.lowercased() < $1.name.lowercased() }
        return .array(
            fields.map { .line(["name": .string($0.name), "value": .string($0.value)]) })
    }
}

extension OrderedJSON? {
    /// The strings, or `nil` if there are none.
    fileprivate static func strings(_ texts: [String]) -> Self {
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }
}

extension OrderedJSON {
    fileprivate static func milliseconds(_ duration: Duration) -> Self {
        .number((duration / .microseconds(1)).rounded() / 1000)
    }
}
