import APIKit
import Foundation

/// A request and its response, as an entry of a HAR file.
///
/// Bodies are bytes without content coding. ``HARFile`` decides how the file represents them.
struct HAREntry: Sendable, Equatable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    struct Request: HARMessage, Equatable {
        var method: String
        var url: String
        var headers: [Field] = []
        var body = Data()
        /// Whether the body is known, because many exports lack it.
        var hasBody = true

        var text: String {
            get { url }
            set { url = newValue }
        }
    }

    struct Response: HARMessage, Equatable {
        /// The status, or 0 if there was no response.
        var status: Int
        var headers: [Field] = []
        var body = Data()
        /// The reason why the response is not complete, as `_error`.
        var error: String?

        var text: String {
            get { error ?? "" }
            set { error = error.map { _ in newValue } }
        }
    }

    /// The time of the request, if it is known.
    var startedAt: Date?
    var request: Request
    var response: Response
    /// The time until the response head, or zero if it is not recorded.
    var wait: Duration = .zero

    /// How the request type of the load reads the response, if a client has sent the request.
    var reader: ResponseParser?

    /// The test that has recorded the entry, as the argument of `swift test --filter`.
    var test: String?

    /// Whether the header fields describe content that the response does not contain.
    ///
    /// `Content-Length` then describes another response (RFC 9110, section 8.6).
    var omitsContent: Bool { request.method.uppercased() == "HEAD" || response.status == 304 }
}

/// What a request and a response have in common.
protocol HARMessage: Sendable {
    /// The URL of a request, or the error of a response.
    var text: String { get set }
    var headers: [HAREntry.Field] { get set }
    var body: Data { get set }
}

extension HAREntry.Request {
    /// Creates the request of an entry from a request that a server received.
    init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue, url: request.url.absoluteString,
            headers: request.headers.map { HAREntry.Field(name: $0.key, value: $0.value) }
                .sorted { $0.name.lowercased() < $1.name.lowercased() },
            body: request.body, hasBody: request.hasBody)
    }

    /// The request as a server receives it, or `nil` if its URL is invalid.
    var recorded: RecordedRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for field in headers where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(headers.value(named: field.name), forHTTPHeaderField: field.name)
        }
        var recorded = RecordedRequest(request, url: url, body: body)
        recorded.hasBody = hasBody
        return recorded
    }
}

extension HAREntry {
    /// The fields of the response without connection fields, and with a field for each cookie.
    ///
    /// They lack a `Content-Length` that describes another body, such as the compressed one.
    var normalizedHeaders: [Field] {
        // An `HTTPURLResponse` joins the `Set-Cookie` fields of a response into one.
        response.headers.withoutConnectionFields.flatMap { field -> [Field] in
            switch field.name.lowercased() {
            case "content-length":
                return omitsContent || field.value == "\(response.body.count)" ? [field] : []
            case "set-cookie":
                let cookies = FieldReader.setCookieFields(in: field.value)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                return cookies.filter { !$0.isEmpty }.map { Field(name: field.name, value: $0) }
            default: return [field]
            }
        }
    }
}

extension HAREntry.Request {
    /// The request without the parts that differ in each recording: the fields of the connection, the
    /// order of cookies, and the boundary of a multipart body.
    var normalized: HAREntry.Request {
        var request = self
        request.headers = headers.withoutConnectionFields.map { field in
            guard field.name.lowercased() == "cookie" else { return field }
            // The system sends cookies in any order.
            let cookies = field.value.split(separator: ";")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return HAREntry.Field(name: field.name, value: cookies.sorted().joined(separator: "; "))
        }
        guard let type = headers.value(named: "Content-Type"),
            type.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: type)["boundary"],
            let name = type.range(of: "boundary=", options: .caseInsensitive),
            let value = type[name.upperBound...].range(of: boundary),
            let body = body.replacing(boundary: boundary, with: "boundary")
        else { return request }
        request.setBody(body)
        request.headers.replaceValues(
            of: "content-type", with: type.replacingCharacters(in: value, with: "boundary"))
        return request
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

    /// The fields without connection fields (RFC 9110, section 7.6.1).
    fileprivate var withoutConnectionFields: Self {
        let named = (value(named: "Connection") ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let dropped = Set(named).union([
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
            "upgrade",
        ])
        return filter { !dropped.contains($0.name.lowercased()) }
    }
}

private let lineFeed = ByteSet("\n")

extension Data {
    /// Returns a multipart body with another boundary, or `nil` if it contains the new boundary.
    fileprivate func replacing(boundary: String, with other: String) -> Data? {
        let (old, new) = (Array("--\(boundary)".utf8), Array("--\(other)".utf8))
        guard !boundary.isEmpty, boundary != other, range(of: Data(new)) == nil else { return nil }
        let bytes = Array(self)
        var (copy, line) = ([UInt8](), 0)
        while line < bytes.count {
            let end = Swift.min(bytes.index(of: lineFeed, in: line..<bytes.count) + 1, bytes.count)
            let isDelimiter = bytes[line..<end].starts(with: old)
            if isDelimiter { copy += new }
            copy += bytes[line..<end].dropFirst(isDelimiter ? old.count : 0)
            line = end
        }
        return Data(copy)
    }
}
