import APIKit
import Foundation

/// The top of a file, with the members that a replay needs.
struct HARTop: Decodable {
    struct Log: Decodable {
        var creator: Creator?
        var entries: [Item]
        var _placeholders: [String]?
    }
    struct Creator: Decodable { var name: String? }
    /// An entry, or the mistake in it.
    struct Item: Decodable {
        let exchange: Result<HARExchange, any Error>

        init(from decoder: any Decoder) {
            exchange = Result { try HARExchange(from: decoder) }
        }
    }

    var log: Log
}

/// An entry of a file, with the members that a replay needs.
///
/// A member that is missing or `null` is unknown.
struct HARExchange: Decodable {
    struct Field: Decodable { var name, value: String? }
    struct Content: Decodable {
        var mimeType, text, encoding, _encoding: String?
        var params: [Field]?
        var size: Double?
    }
    struct Request: Decodable {
        var method, url: String
        var headers: [Field]?
        var postData: Content?
        var bodySize: Double?
    }
    struct Response: Decodable {
        var status: Int?
        var headers: [Field]?
        var content: Content?
        var redirectURL, _error: String?
    }
    struct Timings: Decodable { var blocked, dns, connect, send, wait: Double? }

    var startedDateTime: String?
    var request: Request
    var response: Response
    var timings: Timings?
    var _test: String?
}

extension HAREntry {
    /// Creates an entry, or returns `nil` if it has no response, or if no session can request it.
    ///
    /// - Throws: A ``TestFailure`` with a member that is not valid.
    init?(_ file: HARExchange, isFromHere: Bool) throws {
        let status = file.response.status ?? 0
        guard status >= 200, file.request.method != "CONNECT" else { return nil }
        guard !file.request.method.isEmpty else { throw Self.mistake("has no method") }
        guard let scheme = URL(string: file.request.url)?.scheme?.lowercased() else {
            throw Self.mistake("has no absolute URL")
        }
        // A session cannot request `data:` and `blob:` URLs.
        guard ["http", "https"].contains(scheme) else { return nil }
        startedAt = file.startedDateTime.flatMap(HARDate.parse)
        request = try Request(file.request, isFromHere: isFromHere)
        response = Response(status: status)
        test = file._test
        try read(file.response, isFromHere: isFromHere)
        guard let times = file.timings else { return }
        // An unknown time is negative or `null`. The time of `connect` includes `ssl`.
        let steps = [times.blocked, times.dns, times.connect, times.send, times.wait]
        let milliseconds = steps.reduce(0) { $0 + max(0, $1 ?? 0) }
        wait = .microseconds(Int64(min(milliseconds * 1000, 1e15).rounded()))
    }

    fileprivate static func mistake(_ reason: String) -> TestFailure {
        TestFailure(reason, at: nil)
    }

    private mutating func read(_ file: HARExchange.Response, isFromHere: Bool) throws {
        response.headers = [Field](file.headers)
        let isRedirect = (300...399).contains(response.status)
        if let content = file.content, let text = content.text {
            let type = response.headers.value(named: "Content-Type") ?? content.mimeType
            response.body =
                try content.bytes(of: text, "response.content") ?? text.data(inCharsetOf: type)
            response.headers.addType(type, of: response.body)
            if !isFromHere, response.isCompressed {
                throw Self.mistake(
                    """
                    has a compressed body in response.content. Record it with a tool that decodes \
                    bodies
                    """)
            }
        } else if file.content?.size != 0, !omitsContent, !isRedirect,
            ![204, 205].contains(response.status)
        {
            response.error = "its body is missing. Export it again with its content"
        }
        // Browsers also write an error for a response that they received and did not use.
        if let error = file._error, !error.isEmpty, isFromHere || response.body.isEmpty {
            response.error = error
        }
        if isRedirect, response.headers.value(named: "Location") == nil,
            let location = file.redirectURL, !location.isEmpty
        {
            response.headers.append(Field(name: "Location", value: location))
        }
        // The length may be the compressed size, but the file contains the decoded body.
        if !omitsContent { response.headers.removeLength(exceptFor: response.body.count) }
    }

    var json: JSONValue {
        let milliseconds = JSONValue(
            floatLiteral: (wait / .microseconds(1)).rounded() / 1000)
        var entry: [String: JSONValue] = [
            "time": milliseconds, "request": request.json, "response": response.json,
            "cache": [:], "timings": ["send": 0, "wait": milliseconds, "receive": 0],
        ]
        entry["startedDateTime"] = startedAt.map { .string(HARDate.text(of: $0)) }
        entry["_test"] = test.map { .string($0) }
        return .object(entry)
    }
}

extension HAREntry.Request {
    fileprivate init(_ file: HARExchange.Request, isFromHere: Bool) throws {
        self.init(method: file.method, url: file.url, headers: [HAREntry.Field](file.headers))
        let size = file.bodySize ?? -1
        if let content = file.postData {
            let type = headers.value(named: "Content-Type") ?? content.mimeType
            body = try content.requestBody(ofSize: size, type: type ?? "")
            headers.addType(type, of: body)
        }
        // Many exports of other tools lack the body, and state the size 0.
        let isGet = ["GET", "HEAD"].contains(method.uppercased())
        hasBody = !body.isEmpty || (isFromHere ? size == 0 : size <= 0 && isGet)
    }

    fileprivate var json: JSONValue {
        var request = headers.jsonOfMessage
        request["method"] = .string(method)
        request["url"] = .string(url)
        request["queryString"] = []
        request["bodySize"] = .number(Decimal(hasBody ? body.count : -1))
        if !body.isEmpty {
            // HAR 1.2 has no encoding of a request.
            request["postData"] = .object(headers.json(of: body, as: body.utf8Text, "_encoding"))
        }
        return .object(request)
    }
}

extension HAREntry.Response {
    /// Whether a tool has written the compressed body.
    fileprivate var isCompressed: Bool {
        guard headers.value(named: "Content-Encoding") != nil else { return false }
        // No text starts with the first byte of gzip (RFC 1952, section 2.3.1), which stays even if
        // a tool writes the bytes as text. Polly writes a list of hexadecimal texts.
        let isList = body.starts(with: #"[""#.utf8)
        return body.first == 0x1F
            || isList && body.allSatisfy(#"[]",0123456789abcdef"#.utf8.contains)
    }

    fileprivate var json: JSONValue {
        let text = body.utf8Text
        let isText = text?.data(inCharsetOf: headers.value(named: "Content-Type")) == body
        var content = headers.json(of: body, as: isText ? text : nil, "encoding")
        content["size"] = .number(Decimal(body.count))
        var response = headers.jsonOfMessage
        response["status"] = .number(Decimal(status))
        response["statusText"] = ""
        response["redirectURL"] = .string(headers.value(named: "Location") ?? "")
        response["bodySize"] = -1
        response["content"] = .object(content)
        response["_error"] = error.map { .string($0) }
        return .object(response)
    }
}

extension HARExchange.Content {
    /// Returns the bytes of a text in base64, or `nil` for plain text.
    fileprivate func bytes(of text: String, _ place: String) throws -> Data? {
        let encoding = (encoding ?? _encoding ?? "").lowercased()
        if ["", "utf-8", "utf8"].contains(encoding) { return nil }
        // Some tools break the lines of base64.
        guard encoding == "base64",
            let data = Data(base64Encoded: text)
                ?? Data(base64Encoded: Data(text.utf8.filter { !" \t\r\n".utf8.contains($0) }))
        else { throw HAREntry.mistake("has no base64 in \(place).text") }
        return data
    }

    /// Returns the text of a request, or else the fields of a form.
    ///
    /// A body is empty if it is unknown, as for a multipart form without a text.
    fileprivate func requestBody(ofSize size: Double, type: String) throws -> Data {
        if let text, !text.isEmpty {
            if let bytes = try bytes(of: text, "request.postData") { return bytes }
            // Charles writes base64 without stating it. Then only the decoded body has the size.
            let decoded = Double(text.utf8.count) == size ? nil : Data(base64Encoded: text)
            return decoded.flatMap { Double($0.count) == size ? $0 : nil } ?? Data(text.utf8)
        }
        guard !type.lowercased().hasPrefix("multipart/") else { return Data() }
        let items = QueryItems((params ?? []).map { ($0.name ?? "", $0.value ?? "") })
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

extension [HAREntry.Field] {
    fileprivate init(_ fields: [HARExchange.Field]?) {
        self = (fields ?? []).flatMap { field -> Self in
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

    /// The members that requests and responses have in common.
    fileprivate var jsonOfMessage: [String: JSONValue] {
        // `sorted` is stable, so equal names keep their order.
        let fields = sorted { $0.name.lowercased() < $1.name.lowercased() }
        return [
            "httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1,
            "headers": .array(
                fields.map { ["name": .string($0.name), "value": .string($0.value)] }),
        ]
    }

    /// Returns the members of a body, as a text or else in base64.
    fileprivate func json(
        of body: Data, as text: String?, _ encoding: String
    ) -> [String: JSONValue] {
        var content: [String: JSONValue] = [
            "mimeType": .string(value(named: "Content-Type") ?? ""),
            "text": .string(text ?? body.base64EncodedString()),
        ]
        if text == nil { content[encoding] = "base64" }
        return content
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
