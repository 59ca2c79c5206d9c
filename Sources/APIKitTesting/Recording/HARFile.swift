import APIKit
import Foundation

/// The entries of a file in the HTTP Archive format, version 1.2.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HARFile: Sendable, Equatable {
    var entries: [HAREntry] = []
    /// The texts in place of secrets, in the order in which they occur, as `log._placeholders`.
    ///
    /// A placeholder has the form of its secret, so only this list tells it from a real value. Files
    /// of other tools have no list, nor have files with `REDACTED-1` of this package.
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
    /// Ignores entries without a response, which have the status 0, and what a session cannot request:
    /// WebSockets, proxy tunnels, and URLs without HTTP. Adds an entry with a mistake to `unreadable`,
    /// if other entries can be read.
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
                        try reader.readObject { reader, name in
                            guard name == "name" else { return }
                            isFromHere = try reader.readString() == Self.creator
                        }
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
                // Skips the whole entry, or throws if it is not JSON.
                reader = start
                try reader.readObject { _, _ in }
                unreadable.append(Unreadable(number: number, error: error))
            }
        }
    }

    /// Returns the JSON in the call of a function, as JSONP has it.
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
    /// The bytes of the file: the same ones for the same entries, on every platform.
    ///
    /// The members have the order of the specification, and header fields the order of their names.
    /// Required members without a use in a test are empty, zero or -1.
    var data: Data {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("log") { log in
                log.string("version", "1.2")
                log.object("creator") { creator in
                    creator.string("name", Self.creator)
                    creator.string("version", "1")
                }
                log.array("entries", entries) { log, entry in
                    log.object { entry.write(to: &$0) }
                }
                if !placeholders.isEmpty {
                    log.array("_placeholders", placeholders) { $0.string(nil, $1) }
                }
            }
        }
        return Data(writer.bytes)
    }
}

extension HAREntry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("startedDateTime", HARDate.text(of: startedAt))
        wait.write("time", to: &writer)
        writer.object("request") { request.write(to: &$0) }
        writer.object("response") { response.write(to: &$0) }
        writer.object("cache") { _ in }
        writer.object("timings") { timings in
            timings.number("send", 0)
            wait.write("wait", to: &timings)
            timings.number("receive", 0)
        }
        if !tests.isEmpty {
            writer.array("_tests", tests) { $0.string(nil, $1) }
        }
    }
}

extension HAREntry.Request {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("method", method)
        writer.string("url", url)
        headers.writeHead(to: &writer)
        writer.array("queryString", [String]()) { _, _ in }
        if !body.isEmpty {
            writer.object("postData") { content in
                content.string("mimeType", headers.value(named: "Content-Type") ?? "")
                let isText = body.utf8Text != nil
                content.string("text", isText ? body : body.base64EncodedData())
                // HAR 1.2 has no member for the encoding of a request.
                if !isText { content.string("_encoding", "base64") }
            }
        }
        writer.number("headersSize", -1)
        writer.number("bodySize", hasBody ? body.count : -1)
    }
}

extension HAREntry.Response {
    fileprivate func write(to writer: inout JSONWriter) {
        let contentType = headers.value(named: "Content-Type") ?? ""
        writer.number("status", status)
        writer.string("statusText", "")
        headers.writeHead(to: &writer)
        writer.object("content") { content in
            content.number("size", body.count)
            content.string("mimeType", contentType)
            let isText =
                body.utf8Text != nil
                && HARContent.body(ofText: body, contentType: contentType) == body
            content.string("text", isText ? body : body.base64EncodedData())
            if !isText { content.string("encoding", "base64") }
        }
        writer.string("redirectURL", headers.value(named: "Location") ?? "")
        writer.number("headersSize", -1)
        writer.number("bodySize", -1)
        if let error { writer.string("_error", error) }
    }
}

extension [HAREntry.Field] {
    /// Writes the members that a request and a response have in common.
    fileprivate func writeHead(to writer: inout JSONWriter) {
        writer.string("httpVersion", "HTTP/1.1")
        writer.array("cookies", [String]()) { _, _ in }
        // `sorted` is stable, so equal names keep their order.
        let fields = sorted { $0.name.lowercased() < $1.name.lowercased() }
        writer.array("headers", fields) { headers, field in
            headers.object(inline: true) { header in
                header.string("name", field.name)
                header.string("value", field.value)
            }
        }
    }
}

extension Duration {
    /// Writes the duration in milliseconds.
    fileprivate func write(_ name: String, to writer: inout JSONWriter) {
        let microseconds = (self / .microseconds(1)).rounded()
        let milliseconds = microseconds / 1000
        if let whole = Int(exactly: milliseconds) {
            writer.number(name, whole)
        } else {
            writer.number(name, milliseconds)
        }
    }
}
