import APIKit
import Foundation

extension HAREntry {
    /// Reads an entry, or returns `nil` if it has no response, or if no session can request it.
    init?(from reader: inout JSONReader, decodedByUs isFromHere: Bool) throws {
        // A browser writes an empty date for a response from its cache. An entry without a readable
        // date counts as from 1970, which matters only to the option `maxAge(days:)` of a cassette.
        var startedAt = Date(timeIntervalSince1970: 0)
        var wait: Duration = .zero
        var request: Request?
        var response: Response?
        var tests: [String] = []
        try reader.readObject { reader, name in
            switch name {
            case "_tests":
                try reader.readArray { if let test = try $0.readString() { tests.append(test) } }
            case "startedDateTime":
                startedAt = try reader.readString().flatMap(HARDate.parse) ?? startedAt
            case "timings": wait = try Self.wait(from: &reader)
            case "request": request = try Request(from: &reader, decodedByUs: isFromHere)
            case "response": response = try Response(from: &reader)
            default: break
            }
        }
        guard let request else { throw reader.error("expected an object", at: "request") }
        guard let response else { throw reader.error("expected an object", at: "response") }
        guard response.status >= 200, request.method != "CONNECT" else { return nil }
        guard !request.method.isEmpty else {
            throw reader.error("expected a method", at: "request.method")
        }
        guard let scheme = URL(string: request.url)?.scheme?.lowercased() else {
            throw reader.error("expected an absolute URL", at: "request.url")
        }
        // A session cannot request `data:` and `blob:` URLs.
        guard ["http", "https"].contains(scheme) else { return nil }
        if !isFromHere { try response.checkCoding(reader) }
        self.init(
            startedAt: startedAt, request: request, response: response, wait: wait, tests: tests)
        if omitsContent {
            // Such a response has no body, so its body is not missing.
            self.response.error = nil
        } else {
            // The length may be the compressed size, but the file contains the decoded body.
            self.response.headers.removeLength(exceptFor: response.body.count)
        }
    }

    /// Reads the time until the response head.
    ///
    /// An unknown time is negative or `null`.
    private static func wait(from reader: inout JSONReader) throws -> Duration {
        var microseconds = 0.0
        try reader.readObject { reader, name in
            // The time of `connect` includes `ssl`.
            guard ["blocked", "dns", "connect", "send", "wait"].contains(name) else { return }
            microseconds += max(0, try reader.readNumber() ?? 0) * 1000
        }
        return .microseconds(Int64(min(microseconds, 1e15).rounded()))
    }
}

extension HAREntry.Request {
    fileprivate init(from reader: inout JSONReader, decodedByUs isFromHere: Bool) throws {
        self.init(method: "", url: "")
        var content = HARContent()
        var bodySize = -1
        try reader.readObject { reader, name in
            switch name {
            case "method": method = try reader.readString() ?? ""
            case "url": url = try reader.readString() ?? ""
            case "headers": headers = try HAREntry.fields(from: &reader)
            case "postData": content = try HARContent(from: &reader)
            case "bodySize": bodySize = try reader.readInteger() ?? -1
            default: break
            }
        }
        body = content.requestBody(ofSize: bodySize)
        let isComplete = isFromHere ? bodySize >= 0 : ["GET", "HEAD"].contains(method.uppercased())
        hasBody = !body.isEmpty || isComplete
    }
}

extension HAREntry.Response {
    fileprivate init(from reader: inout JSONReader) throws {
        self.init(status: 0)
        var content = HARContent()
        var redirect: String?
        try reader.readObject { reader, name in
            switch name {
            case "status": status = try reader.readInteger() ?? 0
            case "headers": headers = try HAREntry.fields(from: &reader)
            case "content": content = try HARContent(from: &reader)
            case "redirectURL": redirect = try reader.readString()
            default: break
            }
        }
        body = content.responseBody(contentType: headers.value(named: "Content-Type"))
        if content.bytes == nil, content.size > 0 {
            error = "has no body of \(content.size) bytes. Export it again with its content."
        }
        if let redirect, !redirect.isEmpty, (300...399).contains(status),
            headers.value(named: "Location") == nil
        {
            headers.append(HAREntry.Field(name: "Location", value: redirect))
        }
    }

    /// Throws if the tool has damaged a compressed body.
    fileprivate func checkCoding(_ reader: JSONReader) throws {
        guard let coding = headers.value(named: "Content-Encoding")?.lowercased() else { return }
        // A tool that writes gzip bytes as text replaces the second byte, or encodes it as UTF-8.
        if coding.contains("gzip"),
            [[0x1F, 0x8B], [0x1F, 0xC2, 0x8B], [0x1F, 0xEF, 0xBF, 0xBD]]
                .contains(where: { body.starts(with: $0) })
        {
            throw reader.error(
                """
                the body is still compressed. Export the file again from a tool that decodes bodies, \
                such as a browser, or decode this one and remove its Content-Encoding
                """,
                at: "response.content.text")
        }
        // Polly writes a compressed body as a list of hexadecimal texts.
        let list = body.starts(with: #"[""#.utf8) ? String(decoding: body, as: UTF8.self) : ""
        if list.wholeMatch(of: /\["[0-9a-f]*"(?:,"[0-9a-f]*")*\]/) != nil {
            throw reader.error(
                "the body is a list of hexadecimal text. Record it again",
                at: "response.content.text")
        }
    }
}

extension HAREntry {
    fileprivate static func fields(from reader: inout JSONReader) throws -> [Field] {
        var fields: [Field] = []
        try reader.readArray { reader in
            var (name, value) = ("", "")
            try reader.readObject { reader, member in
                switch member {
                case "name": name = try reader.readString() ?? ""
                case "value": value = try reader.readString() ?? ""
                default: break
                }
            }
            // Skip the pseudo header fields of HTTP/2, such as `:authority`.
            guard !name.isEmpty, !name.utf8.starts(with: ":".utf8) else { return }
            // Some browsers join fields of the same name by line breaks. An empty value is one
            // field.
            let lines = value.utf8.split(separator: 0x0A, omittingEmptySubsequences: !value.isEmpty)
            fields += lines.map { Field(name: name, value: String(Substring($0))) }
        }
        return fields
    }
}

extension [HAREntry.Field] {
    /// Returns the values of the fields with a name in any case, joined by commas.
    func value(named name: String) -> String? {
        let name = name.lowercased()
        let values = filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Sets the value of all fields with a name, which is in lower case.
    mutating func replaceValues(of name: String, with value: String) {
        for index in indices where self[index].name.lowercased() == name {
            self[index].value = value
        }
    }
}

extension JSONReader {
    /// Reads the strings of an object that have one of the names.
    mutating func readStrings(named names: [String]) throws -> [String: String] {
        var strings: [String: String] = [:]
        try readObject { reader, name in
            if names.contains(name) { strings[name] = try reader.readString() }
        }
        return strings
    }

    /// Reads a number without a fraction, or `nil` for `null`.
    mutating func readInteger() throws -> Int? {
        guard let number = try readNumber() else { return nil }
        guard let integer = Int(exactly: number) else { throw error("expected an integer") }
        return integer
    }
}

/// Dates of ISO 8601 with milliseconds.
enum HARDate {
    /// Returns the date of a text such as `2026-01-31T12:00:00.123+01:00`.
    static func parse(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? style.parse(text) else { return nil }
        return self.date(milliseconds: (date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Returns the text of a date, in UTC.
    static func text(of date: Date) -> String {
        // The style truncates, and a `Double` can be slightly less than its millisecond.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded() + 0.1
        return Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            .format(self.date(milliseconds: milliseconds))
    }

    static func date(milliseconds: Double) -> Date {
        Date(timeIntervalSince1970: milliseconds / 1000)
    }
}
