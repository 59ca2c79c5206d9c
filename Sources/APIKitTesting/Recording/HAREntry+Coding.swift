import APIKit
import Foundation

/// A member of the format.
enum HARMember: String, CodingKey {
    case log, version, creator, entries, startedDateTime, time, request, response, cache, timings
    case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    case status, statusText, content, redirectURL, mimeType, size, text, encoding, params
    case name, value, blocked, dns, connect, send, wait, receive
    case tests = "_tests"
    case placeholders = "_placeholders"
    /// The encoding of a request, for which HAR 1.2 has no member.
    case requestEncoding = "_encoding"
    case error = "_error"
}

/// An object of a file, in which a member that is missing or `null` is unknown.
typealias HARObject = KeyedDecodingContainer<HARMember>

extension HARObject {
    func value<Value: Decodable>(_ member: HARMember) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: member)
    }

    func object(_ member: HARMember) throws -> HARObject? {
        guard try contains(member) && !decodeNil(forKey: member) else { return nil }
        return try nestedContainer(keyedBy: HARMember.self, forKey: member)
    }

    fileprivate func mistake(_ reason: String, at member: HARMember) -> DecodingError {
        .dataCorruptedError(forKey: member, in: self, debugDescription: reason)
    }
}

extension HAREntry: Encodable {
    /// Reads an entry, or returns `nil` if it has no response, or if no session can request it.
    init?(from file: HARObject, _ isFromHere: Bool) throws {
        let request = try file.nestedContainer(keyedBy: HARMember.self, forKey: .request)
        let response = try file.nestedContainer(keyedBy: HARMember.self, forKey: .response)
        let method = try request.decode(String.self, forKey: .method)
        let url = try request.decode(String.self, forKey: .url)
        let status = try response.value(.status) ?? 0
        guard status >= 200, method != "CONNECT" else { return nil }
        guard !method.isEmpty else { throw request.mistake("expected a method", at: .method) }
        guard let scheme = URL(string: url)?.scheme?.lowercased() else {
            throw request.mistake("expected an absolute URL", at: .url)
        }
        // A session cannot request `data:` and `blob:` URLs.
        guard ["http", "https"].contains(scheme) else { return nil }
        self.init(
            startedAt: try file.value(.startedDateTime).flatMap(HARDate.parse),
            request: Request(method: method, url: url), response: Response(status: status),
            tests: try file.value(.tests) ?? [])
        try self.request.read(request, isFromHere)
        try read(response, isFromHere)
        guard let times = try file.object(.timings) else { return }
        // An unknown time is negative or `null`. The time of `connect` includes `ssl`.
        let steps = [HARMember.blocked, .dns, .connect, .send, .wait]
        let milliseconds = try steps.reduce(0.0) { try $0 + max(0, times.value($1) ?? 0) }
        wait = .microseconds(Int64(min(milliseconds * 1000, 1e15).rounded()))
    }

    private mutating func read(_ file: HARObject, _ isFromHere: Bool) throws {
        response.headers = try [Field](in: file)
        let isRedirect = (300...399).contains(response.status)
        let content = try file.object(.content)
        if let content, let text: String = try content.value(.text) {
            let type = try response.headers.value(named: "Content-Type") ?? content.value(.mimeType)
            response.body = try content.bytes(of: text) ?? text.data(inCharsetOf: type)
            response.headers.addType(type, of: response.body)
            if !isFromHere, response.isCompressed {
                throw content.mistake(
                    "the body is still compressed. Record it with a tool that decodes bodies",
                    at: .text)
            }
        } else if try content?.value(.size) != 0, !omitsContent, !isRedirect,
            ![204, 205].contains(response.status)
        {
            response.error = "its body is missing. Export it again with its content"
        }
        // Browsers also write an error for a response that they received and did not use.
        if let error: String = try file.value(.error), !error.isEmpty,
            isFromHere || response.body.isEmpty
        {
            response.error = error
        }
        if isRedirect, response.headers.value(named: "Location") == nil,
            let location: String = try file.value(.redirectURL), !location.isEmpty
        {
            response.headers.append(Field(name: "Location", value: location))
        }
        // The length may be the compressed size, but the file contains the decoded body.
        if !omitsContent { response.headers.removeLength(exceptFor: response.body.count) }
    }

    func encode(to encoder: any Encoder) throws {
        var file = encoder.container(keyedBy: HARMember.self)
        let milliseconds = (wait / .microseconds(1)).rounded() / 1000
        try file.encodeIfPresent(startedAt.map(HARDate.text), forKey: .startedDateTime)
        try file.encode(milliseconds, forKey: .time)
        try file.encode(request, forKey: .request)
        try file.encode(response, forKey: .response)
        try file.encode([String: String](), forKey: .cache)
        try file.encode(["send": 0, "wait": milliseconds, "receive": 0], forKey: .timings)
        if !tests.isEmpty { try file.encode(tests, forKey: .tests) }
    }
}

extension HAREntry.Request: Encodable {
    fileprivate mutating func read(_ file: HARObject, _ isFromHere: Bool) throws {
        headers = try [HAREntry.Field](in: file)
        let size = try file.value(.bodySize) ?? -1
        if let content = try file.object(.postData) {
            let type = try headers.value(named: "Content-Type") ?? content.value(.mimeType)
            body = try content.requestBody(ofSize: size, type: type ?? "")
            headers.addType(type, of: body)
        }
        // Many exports of other tools lack the body, and state the size 0.
        let isGet = ["GET", "HEAD"].contains(method.uppercased())
        hasBody = !body.isEmpty || (isFromHere ? size == 0 : size <= 0 && isGet)
    }

    func encode(to encoder: any Encoder) throws {
        var file = encoder.container(keyedBy: HARMember.self)
        try file.encode(method, forKey: .method)
        try file.encode(url, forKey: .url)
        try file.encode([String](), forKey: .queryString)
        try file.encodeMessage(headers)
        try file.encode(hasBody ? body.count : -1, forKey: .bodySize)
        guard !body.isEmpty else { return }
        var content = file.nestedContainer(keyedBy: HARMember.self, forKey: .postData)
        try content.encode(body, as: body.utf8Text, .requestEncoding, headers)
    }
}

extension HAREntry.Response: Encodable {
    /// Whether a tool has written the compressed body.
    fileprivate var isCompressed: Bool {
        guard headers.value(named: "Content-Encoding") != nil else { return false }
        // No text starts with the first byte of gzip (RFC 1952, section 2.3.1), which stays even if
        // a tool writes the bytes as text. Polly writes a list of hexadecimal texts.
        let isList = body.starts(with: #"[""#.utf8)
        return body.first == 0x1F
            || isList && body.allSatisfy(#"[]",0123456789abcdef"#.utf8.contains)
    }

    func encode(to encoder: any Encoder) throws {
        var file = encoder.container(keyedBy: HARMember.self)
        try file.encode(status, forKey: .status)
        try file.encode("", forKey: .statusText)
        try file.encodeMessage(headers)
        try file.encode(headers.value(named: "Location") ?? "", forKey: .redirectURL)
        try file.encode(-1, forKey: .bodySize)
        try file.encodeIfPresent(error, forKey: .error)
        var content = file.nestedContainer(keyedBy: HARMember.self, forKey: .content)
        try content.encode(body.count, forKey: .size)
        let text = body.utf8Text
        let isText = text?.data(inCharsetOf: headers.value(named: "Content-Type")) == body
        try content.encode(body, as: isText ? text : nil, .encoding, headers)
    }
}

extension KeyedEncodingContainer<HARMember> {
    /// Encodes what requests and responses have in common.
    fileprivate mutating func encodeMessage(_ headers: [HAREntry.Field]) throws {
        try encode("HTTP/1.1", forKey: .httpVersion)
        try encode([String](), forKey: .cookies)
        try encode(-1, forKey: .headersSize)
        // `sorted` is stable, so equal names keep their order.
        let fields = headers.sorted { $0.name.lowercased() < $1.name.lowercased() }
        try encode(fields.map { ["name": $0.name, "value": $0.value] }, forKey: .headers)
    }

    /// Encodes a body as a text, or else in base64.
    fileprivate mutating func encode(
        _ body: Data, as text: String?, _ encoding: HARMember, _ headers: [HAREntry.Field]
    ) throws {
        try encode(headers.value(named: "Content-Type") ?? "", forKey: .mimeType)
        try encode(text ?? body.base64EncodedString(), forKey: .text)
        if text == nil { try encode("base64", forKey: encoding) }
    }
}

extension HARObject {
    /// Returns the bytes of a text in base64, or `nil` for plain text.
    fileprivate func bytes(of text: String) throws -> Data? {
        let encoding: String? = try value(.encoding) ?? value(.requestEncoding)
        if ["", "utf-8", "utf8"].contains(encoding?.lowercased() ?? "") { return nil }
        // Some tools break the lines of base64.
        guard encoding?.lowercased() == "base64",
            let data = Data(base64Encoded: text)
                ?? Data(base64Encoded: Data(text.utf8.filter { !" \t\r\n".utf8.contains($0) }))
        else { throw mistake("expected base64", at: .text) }
        return data
    }

    /// Returns the text of a request, or else the fields of a form.
    ///
    /// A body is empty if it is unknown, as for a multipart form without a text.
    fileprivate func requestBody(ofSize size: Int, type: String) throws -> Data {
        if let text: String = try value(.text), !text.isEmpty {
            if let bytes = try bytes(of: text) { return bytes }
            // Charles writes base64 without stating it. Then only the decoded body has the size.
            let decoded = text.utf8.count == size ? nil : Data(base64Encoded: text)
            return decoded.flatMap { $0.count == size ? $0 : nil } ?? Data(text.utf8)
        }
        guard !type.lowercased().hasPrefix("multipart/") else { return Data() }
        let fields: [FileField] = try value(.params) ?? []
        let items = fields.reduce(into: [:] as QueryItems) {
            $0.append($1.name ?? "", $1.value ?? "")
        }
        return Data(items.form.utf8)
    }
}

extension String {
    /// Returns the text encoded in the charset of its media type, as the server sent it.
    ///
    /// Browsers write the decoded text, and decode ISO 8859-1 as Windows-1252 (WHATWG Encoding
    /// Standard). A text with other characters or with another charset stays UTF-8.
    fileprivate func data(inCharsetOf type: String?) -> Data {
        let charset = FieldReader.parameters(of: type ?? "")["charset"]?.lowercased() ?? ""
        guard ["iso-8859-1", "latin1", "windows-1252"].contains(charset) else { return Data(utf8) }
        return data(using: .windowsCP1252) ?? data(using: .isoLatin1) ?? Data(utf8)
    }
}

/// A header field, or a field of a form.
private struct FileField: Decodable {
    var name: String?
    var value: String?
}

extension [HAREntry.Field] {
    fileprivate init(in file: HARObject) throws {
        let fields: [FileField] = try file.value(.headers) ?? []
        self = fields.flatMap { field -> Self in
            // Skip the pseudo header fields of HTTP/2, such as `:authority`.
            guard let name = field.name, !name.isEmpty, !name.hasPrefix(":") else { return [] }
            // Some browsers join fields by line breaks. An empty value is one field.
            let value = field.value ?? ""
            return value.utf8.split(separator: 0x0A, omittingEmptySubsequences: !value.isEmpty)
                .map { HAREntry.Field(name: name, value: String(Substring($0))) }
        }
    }

    /// Adds the media type of a body, which some tools write only beside its text.
    fileprivate mutating func addType(_ type: String?, of body: Data) {
        // Browsers write `x-unknown` for an unknown type.
        guard let type, type.contains("/"), !body.isEmpty, value(named: "Content-Type") == nil
        else { return }
        append(HAREntry.Field(name: "Content-Type", value: type))
    }
}

/// Dates of ISO 8601 with milliseconds.
enum HARDate {
    /// Returns the date of a text such as `2026-01-31T12:00:00.123+01:00`, if it is one.
    static func parse(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let seconds = try? style.parse(text).timeIntervalSince1970 else { return nil }
        return Date(timeIntervalSince1970: (seconds * 1000).rounded() / 1000)
    }

    /// Returns the text of a date, in UTC.
    static func text(of date: Date) -> String {
        // The style truncates, and a `Double` can be slightly less than its millisecond.
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date + 0.000_1)
    }
}
