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

    var startedDateTime: String?
    var request: Request
    var response: Response
    var _test: String?
}

extension HAREntry {
    /// Creates an entry, or returns `nil` if it has no response, or if no session can request it.
    ///
    /// - Throws: A ``TestFailure`` with a member that is not valid.
    init?(_ file: HARExchange, isFromHere: Bool) throws {
        let status = file.response.status ?? 0
        guard status >= 200, file.request.method != "CONNECT" else { return nil }
        guard !file.request.method.isEmpty else { throw TestFailure("has no method", at: nil) }
        guard let url = URL(foreign: file.request.url), let scheme = url.scheme?.lowercased() else {
            throw TestFailure("has no absolute URL", at: nil)
        }
        // A session cannot request `data:` and `blob:` URLs.
        guard ["http", "https"].contains(scheme) else { return nil }
        startedAt = file.startedDateTime.flatMap(HARDate.parse)
        request = try Request(file.request, url, isFromHere: isFromHere)
        response = Response(status: status)
        test = file._test
        try read(file.response, isFromHere: isFromHere)
    }

    private mutating func read(_ file: HARExchange.Response, isFromHere: Bool) throws {
        response.headers = [Field](file.headers)
        let isRedirect = (300...399).contains(response.status)
        if let content = file.content, content.text != nil {
            response.error = try response.read(content, at: "response.content")
            // No text starts with the first byte of gzip (RFC 1952, section 2.3.1), which stays even
            // if a tool writes the compressed bytes as text.
            if !isFromHere, response.headers.value(named: "Content-Encoding") != nil,
                response.body.first == 0x1F
            {
                throw TestFailure(
                    """
                    has a compressed body in response.content. Record it with a tool that decodes \
                    bodies
                    """, at: nil)
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
        response.headers = normalizedHeaders
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
    fileprivate init(_ file: HARExchange.Request, _ url: URL, isFromHere: Bool) throws {
        self.init(
            method: file.method, url: url.absoluteString, headers: [HAREntry.Field](file.headers))
        let size = file.bodySize ?? -1
        var isKnown = true
        if let content = file.postData {
            isKnown = try read(content, ofSize: size, at: "request.postData") == nil
        }
        // Many exports of other tools lack the body, and state the size 0.
        let isGet = ["GET", "HEAD"].contains(method.uppercased())
        hasBody =
            isKnown && !body.isEmpty
            || body.isEmpty && (isFromHere ? size == 0 : size <= 0 && isGet)
    }

    fileprivate var json: JSONValue {
        var request = jsonOfHead
        request["method"] = .string(method)
        request["url"] = .string(url)
        request["queryString"] = []
        request["bodySize"] = .number(Decimal(hasBody ? body.count : -1))
        if !body.isEmpty {
            // HAR 1.2 has no encoding of a request.
            request["postData"] = .object(jsonOfBody("_encoding"))
        }
        return .object(request)
    }
}

extension HAREntry.Response {
    fileprivate var json: JSONValue {
        var content = jsonOfBody("encoding")
        content["size"] = .number(Decimal(body.count))
        var response = jsonOfHead
        response["status"] = .number(Decimal(status))
        response["statusText"] = ""
        response["redirectURL"] = .string(headers.value(named: "Location") ?? "")
        response["bodySize"] = -1
        response["content"] = .object(content)
        response["_error"] = error.map { .string($0) }
        return .object(response)
    }
}

extension HARMessage {
    /// Reads the body, and its media type, which some tools write only beside its text.
    ///
    /// A body is empty if it is unknown, as for a multipart form without a text.
    ///
    /// - Returns: The mistake of a text whose bytes are not known, or `nil`.
    fileprivate mutating func read(
        _ content: HARExchange.Content, ofSize size: Double? = nil, at place: String
    ) throws -> String? {
        var mistake: String?
        let known = headers.value(named: "Content-Type")
        let type = known ?? content.mimeType ?? ""
        if let text = content.text, !text.isEmpty {
            let bytes =
                try content.bytes(of: text, ofSize: size, place) ?? text.data(inCharsetOf: type)
            body = bytes ?? Data(text.utf8)
            if bytes == nil {
                mistake =
                    "the bytes of its text in \(type) are not known. Export it again with base64"
            }
        } else if !type.lowercased().hasPrefix("multipart/") {
            let items = QueryItems((content.params ?? []).map { ($0.name ?? "", $0.value ?? "") })
            body = Data(items.form.utf8)
        }
        // Browsers write `x-unknown` for an unknown type.
        if known == nil, type.contains("/"), !body.isEmpty {
            headers.append(HAREntry.Field(name: "Content-Type", value: type))
        }
        return mistake
    }

    /// The members that requests and responses have in common.
    fileprivate var jsonOfHead: [String: JSONValue] {
        [
            "httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1,
            "headers": .array(
                headers.map { ["name": .string($0.name), "value": .string($0.value)] }),
        ]
    }

    /// Returns the members of the body, as a text or else in base64.
    fileprivate func jsonOfBody(_ encoding: String) -> [String: JSONValue] {
        let type = headers.value(named: "Content-Type") ?? ""
        let text = body.utf8Text.flatMap { $0.data(inCharsetOf: type) == body ? $0 : nil }
        var content: [String: JSONValue] = [
            "mimeType": .string(type), "text": .string(text ?? body.base64EncodedString()),
        ]
        if text == nil { content[encoding] = "base64" }
        return content
    }
}

extension HARExchange.Content {
    /// Returns the bytes of a text in base64, or `nil` for plain text.
    fileprivate func bytes(of text: String, ofSize size: Double?, _ place: String) throws -> Data? {
        let encoding = (encoding ?? _encoding ?? "").lowercased()
        if ["", "utf-8", "utf8"].contains(encoding) {
            // Charles writes base64 without stating it. Then only the decoded body has the size.
            let decoded = Double(text.utf8.count) == size ? nil : Data(base64Encoded: text)
            return decoded.flatMap { Double($0.count) == size ? $0 : nil }
        }
        // Some tools break the lines of base64.
        guard encoding == "base64",
            let data = Data(base64Encoded: text)
                ?? Data(base64Encoded: Data(text.utf8.filter { !" \t\r\n".utf8.contains($0) }))
        else { throw TestFailure("has no base64 in \(place).text", at: nil) }
        return data
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
        // HTTP/2 may split the field (RFC 9113, section 8.2.3).
        let cookies = filter { $0.name.lowercased() == "cookie" }
        guard cookies.count > 1, let first = firstIndex(of: cookies[0]) else { return }
        self[first].value = cookies.map(\.value).joined(separator: "; ")
        let rest = self[(first + 1)...].filter { $0.name.lowercased() != "cookie" }
        self = self[...first] + rest
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
