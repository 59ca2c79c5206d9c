import APIKit
import Foundation

extension HARFile {
    /// Reads a file of this package, a browser or a proxy.
    ///
    /// Ignores what a session cannot request: entries without a response, such as a blocked request,
    /// and those of WebSockets, proxy tunnels and URLs without HTTP.
    ///
    /// - Throws: A ``JSONError`` with the place of the mistake.
    init(data: Data) throws {
        entries = try data.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, isLenient: true)
            var entries: [HAREntry]?
            var isFromHere = false
            try reader.readObject { reader, name in
                guard name == "log" else { return }
                try reader.readObject { reader, name in
                    switch name {
                    case "creator":
                        isFromHere = try Self.name(from: &reader) == Self.creator
                    case "entries":
                        entries = try HAREntry.entries(from: &reader, decodedByUs: isFromHere)
                    default: break
                    }
                }
            }
            try reader.finish()
            guard let entries else {
                throw JSONError(place: "log.entries", reason: "expected an array")
            }
            return entries
        }
    }

    private static func name(from reader: inout JSONReader) throws -> String? {
        var value: String?
        try reader.readObject { reader, name in
            if name == "name" { value = try reader.readString() }
        }
        return value
    }
}

extension HAREntry {
    fileprivate static func entries(
        from reader: inout JSONReader, decodedByUs: Bool
    ) throws -> [HAREntry] {
        var entries: [HAREntry] = []
        try reader.readArray { reader in
            guard var entry = try HAREntry(from: &reader), try entry.hasHTTP(reader) else { return }
            if !decodedByUs, entry.response.isCompressed {
                throw reader.error(
                    """
                    the body is still compressed. Export the file again from a tool that decodes \
                    bodies, such as a browser, or decode this one and remove its Content-Encoding
                    """,
                    at: "response.content.text")
            }
            entry.correctLength()
            entries.append(entry)
        }
        return entries
    }

    /// Reads an entry, or returns `nil` for one without a response.
    private init?(from reader: inout JSONReader) throws {
        // A browser writes an empty date for a response from its cache.
        var startedAt = Date(timeIntervalSince1970: 0)
        var wait: Duration = .zero
        var request: Request?
        var response: Response?
        try reader.readObject { reader, name in
            switch name {
            case "startedDateTime": startedAt = try Self.date(from: &reader) ?? startedAt
            case "timings": wait = try Self.wait(from: &reader)
            case "request": request = try Request(from: &reader)
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
        self.init(startedAt: startedAt, request: request, response: response, wait: wait)
    }

    /// Whether the URL is one of HTTP, and not such as `data:` or `blob:`.
    private func hasHTTP(_ reader: JSONReader) throws -> Bool {
        guard let scheme = URL(string: request.url)?.scheme?.lowercased() else {
            throw reader.error("expected an absolute URL", at: "request.url")
        }
        return ["http", "https"].contains(scheme)
    }

    /// Removes a length that describes the compressed body, which the file contains decoded.
    private mutating func correctLength() {
        if omitsContent {
            // Nor does such a response lack a body.
            response.error = nil
        } else {
            response.headers.removeLength(exceptFor: response.body.count)
        }
    }

    private static func date(from reader: inout JSONReader) throws -> Date? {
        guard let text = try reader.readString(), !text.isEmpty else { return nil }
        guard let date = HARDate.parse(text) else {
            throw reader.error("expected a date such as 2026-01-31T12:00:00.000Z")
        }
        return date
    }

    /// Reads the time until the response head.
    ///
    /// An unknown time is negative or `null`.
    private static func wait(from reader: inout JSONReader) throws -> Duration {
        var microseconds = 0.0
        try reader.readObject { reader, name in
            // The time of `connect` includes that of `ssl`.
            guard ["blocked", "dns", "connect", "send", "wait"].contains(name) else { return }
            microseconds += max(0, try reader.readNumber() ?? 0) * 1000
        }
        return .microseconds(Int64(min(microseconds, 1e15).rounded()))
    }
}

extension HAREntry.Request {
    fileprivate init(from reader: inout JSONReader) throws {
        var request = Self(method: "", url: "")
        var content = HARContent()
        var bodySize = -1
        try reader.readObject { reader, name in
            switch name {
            case "method": request.method = try reader.readString() ?? ""
            case "url": request.url = try reader.readString() ?? ""
            case "headers": request.headers = try HAREntry.fields(from: &reader)
            case "postData": content = try HARContent(from: &reader)
            case "bodySize": bodySize = try reader.readInteger() ?? -1
            default: break
            }
        }
        request.body = content.requestBody(ofSize: bodySize)
        self = request
    }
}

extension HAREntry.Response {
    fileprivate init(from reader: inout JSONReader) throws {
        var response = Self(status: 0)
        var content = HARContent()
        var redirect: String?
        try reader.readObject { reader, name in
            switch name {
            case "status": response.status = try reader.readInteger() ?? 0
            case "headers": response.headers = try HAREntry.fields(from: &reader)
            case "content": content = try HARContent(from: &reader)
            case "redirectURL": redirect = try reader.readString()
            default: break
            }
        }
        response.body = content.responseBody(
            contentType: response.headers.value(named: "Content-Type"))
        if content.bytes == nil, content.size > 0 {
            response.error =
                "has no body of \(content.size) bytes. Export it again with its content."
        }
        if let redirect, !redirect.isEmpty, (300...399).contains(response.status),
            response.headers.value(named: "Location") == nil
        {
            response.headers.append(HAREntry.Field(name: "Location", value: redirect))
        }
        self = response
    }

    /// Whether the body still has the content coding that the header names.
    ///
    /// A tool that writes the bytes of gzip as text replaces the second one, or encodes it as UTF-8.
    fileprivate var isCompressed: Bool {
        guard let coding = headers.value(named: "Content-Encoding"),
            coding.lowercased().contains("gzip")
        else { return false }
        return [[0x1F, 0x8B], [0x1F, 0xC2, 0x8B], [0x1F, 0xEF, 0xBF, 0xBD]]
            .contains { body.starts(with: $0) }
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
            // The pseudo header fields of HTTP/2, such as `:authority`.
            guard !name.isEmpty, !name.utf8.starts(with: ":".utf8) else { return }
            // Some browsers join equal fields by line breaks.
            guard value.utf8.contains(0x0A) else {
                fields.append(Field(name: name, value: value))
                return
            }
            fields += value.utf8.split(separator: 0x0A).map {
                Field(name: name, value: String(Substring($0)))
            }
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
}

extension JSONReader {
    /// Reads a number without a fraction, or `nil` for `null`.
    mutating func readInteger() throws -> Int? {
        guard let number = try readNumber() else { return nil }
        guard let integer = Int(exactly: number) else { throw error("expected an integer") }
        return integer
    }
}
