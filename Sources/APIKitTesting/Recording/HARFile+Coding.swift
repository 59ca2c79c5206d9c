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

        init(from decoder: any Decoder) { exchange = Result { try HARExchange(from: decoder) } }
    }

    var log: Log
}

/// An entry of a file, with the members that a replay needs.
///
/// A member that is missing or `null` is unknown.
struct HARExchange: Decodable {
    struct Field: Decodable {
        var name: String?
        var value: JSONValue?

        /// The value, which some tools write as a number.
        var text: String {
            switch value {
            case .string(let text): text
            case .number(let number): "\(number)"
            case .bool(let value): "\(value)"
            default: ""
            }
        }
    }
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

extension RecordedExchange {
    /// Creates an exchange, or returns `nil` if it has no response, or if no session can request it.
    ///
    /// - Throws: A ``TestFailure`` with a member that is not valid.
    init?(_ entry: HARExchange, isFromHere: Bool) throws {
        let status = entry.response.status ?? 0
        guard status >= 200, entry.request.method != "CONNECT" else { return nil }
        guard !entry.request.method.isEmpty else { throw TestFailure("has no method", at: nil) }
        guard let url = URL(foreign: entry.request.url), let scheme = url.scheme?.lowercased()
        else { throw TestFailure("has no absolute URL", at: nil) }
        // A session cannot request `data:` and `blob:` URLs.
        guard ["http", "https"].contains(scheme) else { return nil }
        let request = try RecordedRequest(entry.request, url, isFromHere: isFromHere)
        let hasContent =
            request.method != .head && !(300...399).contains(status)
            && ![204, 205].contains(status)
        let response = try RecordedResponse(
            entry.response, status: status, hasContent: hasContent, isFromHere: isFromHere)
        self =
            RecordedExchange(
                startedAt: entry.startedDateTime.flatMap(HARDate.parse), request: request,
                response: response, test: entry._test
            ).normalized
    }

    var json: JSONValue {
        let seconds = startedAt.flatMap { response.arrivedAt?.timeIntervalSince($0) } ?? 0
        let wait = JSONValue(floatLiteral: (max(0, seconds) * 1_000_000).rounded() / 1000)
        return .members([
            "startedDateTime": startedAt.map { .string(HARDate.format($0)) }, "time": wait,
            "request": request.json, "response": response.json, "cache": [:],
            "timings": ["send": 0, "wait": wait, "receive": 0],
            "_test": test.map { .string($0) },
        ])
    }
}

extension RecordedRequest {
    fileprivate init(_ file: HARExchange.Request, _ url: URL, isFromHere: Bool) throws {
        var fields = [HeaderField](file.headers)
        var content = (body: Data(), mistake: nil as String?)
        let size = file.bodySize ?? -1
        let isGet = ["GET", "HEAD"].contains(file.method.uppercased())
        // Safari writes the body of a POST also at the GET after its redirect.
        if let data = file.postData, isFromHere || !isGet {
            content = try data.read(typedBy: &fields, ofSize: size, at: "request.postData")
        }
        self.init(file.method, url, fields: fields, body: content.body)
        // Many exports of other tools lack the body, and state the size 0.
        hasBody =
            body.isEmpty
            ? (isFromHere ? size == 0 : size <= 0 && isGet) : content.mistake == nil
    }

    fileprivate var json: JSONValue {
        let fields = fields
        return .members([
            "method": .string(method.rawValue), "url": .string(url.absoluteString),
            "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [], "headers": fields.json,
            "headersSize": -1, "bodySize": .number(Decimal(hasBody ? body.count : -1)),
            // HAR 1.2 has no encoding of a request.
            "postData": body.isEmpty ? nil : body.json(typedBy: fields, "_encoding"),
        ])
    }
}

extension RecordedResponse {
    fileprivate init(
        _ file: HARExchange.Response, status: Int, hasContent: Bool, isFromHere: Bool
    ) throws {
        var fields = [HeaderField](file.headers)
        var (body, error) = (Data(), nil as String?)
        if let content = file.content, content.text != nil {
            (body, error) = try content.read(typedBy: &fields, at: "response.content")
            // A browser decodes a body, and keeps the field.
            if !isFromHere, fields.value(named: "Content-Encoding") != nil,
                content.encoding?.lowercased() == "base64", body.utf8Text == nil,
                FieldReader.isText(fields.value(named: "Content-Type"))
            {
                throw TestFailure(
                    "has a compressed body in response.content. Export it with decoded content",
                    at: nil)
            }
        } else if file.content?.size != 0, hasContent {
            error = "its body is missing. Export it again with its content"
        }
        // Browsers also write an error for a response that they received and did not use, and Chrome
        // for each one without content.
        if let other = file._error, !other.isEmpty, isFromHere || hasContent && body.isEmpty {
            error = other
        }
        if (300...399).contains(status), fields.value(named: "Location") == nil,
            let location = file.redirectURL, !location.isEmpty
        {
            fields.append(HeaderField(name: "Location", value: location))
        }
        self.init(status: status, fields: fields, body: body, error: error)
    }

    fileprivate var json: JSONValue {
        let fields = fields
        return .members([
            "status": .number(Decimal(status)), "statusText": "", "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": fields.json, "headersSize": -1, "bodySize": -1,
            "redirectURL": .string(fields.value(named: "Location") ?? ""),
            "content": body.json(
                typedBy: fields, "encoding", size: .number(Decimal(body.count))),
            "_error": error.map { .string($0) },
        ])
    }
}

extension JSONValue {
    /// Returns an object, without the members that are `nil`.
    static func members(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }
}

extension Data {
    /// Returns a body as a text, or else in base64 with the member that says so.
    fileprivate func json(
        typedBy fields: [HeaderField], _ encoding: String, size: JSONValue? = nil
    ) -> JSONValue {
        let type = fields.value(named: "Content-Type") ?? ""
        let text = utf8Text.flatMap { $0.data(inCharsetOf: type) == self ? $0 : nil }
        return .members([
            "mimeType": .string(type), "text": .string(text ?? base64EncodedString()),
            encoding: text == nil ? "base64" : nil, "size": size,
        ])
    }
}

extension HARExchange.Content {
    /// Returns the body, and the mistake of a text whose bytes are not known.
    ///
    /// A body is empty if it is unknown, as for a multipart form without a text. The fields receive the
    /// media type, which some tools write only beside the text.
    fileprivate func read(
        typedBy fields: inout [HeaderField], ofSize size: Double? = nil, at place: String
    ) throws -> (body: Data, mistake: String?) {
        var (body, mistake) = (Data(), nil as String?)
        let known = fields.value(named: "Content-Type")
        let type = known ?? mimeType ?? ""
        if let text, !text.isEmpty {
            let bytes = try bytes(of: text, ofSize: size, place) ?? text.data(inCharsetOf: type)
            body = bytes ?? Data(text.utf8)
            if bytes == nil {
                mistake =
                    "the bytes of its text in \(type) are not known. Export it again with base64"
            }
        } else if !type.lowercased().hasPrefix("multipart/") {
            body = Data(
                QueryItems((params ?? []).map { ($0.name ?? "", $0.text) }).form.utf8)
        }
        // Browsers write `x-unknown` for an unknown type.
        if known == nil, type.contains("/"), !body.isEmpty {
            fields.append(HeaderField(name: "Content-Type", value: type))
        }
        return (body, mistake)
    }

    /// Returns the bytes of a text in base64, or `nil` for plain text.
    private func bytes(of text: String, ofSize size: Double?, _ place: String) throws -> Data? {
        let encoding = (encoding ?? _encoding ?? "").lowercased()
        if ["", "utf-8", "utf8"].contains(encoding) {
            // Charles writes base64 without stating it. Then only the decoded body has the size.
            let decoded = Double(text.utf8.count) == size ? nil : Data(base64Encoded: text)
            guard let decoded, Double(decoded.count) == size else { return nil }
            throw TestFailure(
                """
                has base64 in \(place).text without "encoding": "base64". Add it, or export the entry \
                again
                """, at: nil)
        }
        // Some tools break the lines of base64, omit its padding, or use its other alphabet.
        guard encoding == "base64",
            let data = Data(base64Encoded: text)
                ?? Data(base64URL: text.filter { !$0.isWhitespace }[...])
        else { throw TestFailure("has no base64 in \(place).text", at: nil) }
        return data
    }
}

extension [HeaderField] {
    fileprivate var json: JSONValue {
        .array(map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    fileprivate init(_ fields: [HARExchange.Field]?) {
        self = (fields ?? []).flatMap { field -> Self in
            // Skip the pseudo header fields of HTTP/2, such as `:authority`.
            guard let name = field.name, !name.isEmpty, !name.hasPrefix(":") else { return [] }
            // Some browsers join fields by line breaks. An empty value is one field.
            let value = field.text
            return value.utf8.split(separator: 0x0A, omittingEmptySubsequences: !value.isEmpty)
                .map { HeaderField(name: name, value: String(Substring($0))) }
        }
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
    static func format(_ date: Date) -> String {
        // The style truncates, and a `Double` can be slightly less than its millisecond.
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date + 0.000_1)
    }
}
