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

    struct Request: Sendable, Equatable {
        var method: String
        var url: String
        var headers: [Field] = []
        var body = Data()
        /// Whether the body is known, because many exports lack it.
        var hasBody = true
    }

    struct Response: Sendable, Equatable {
        /// The status, or 0 if there was no response.
        var status: Int
        var headers: [Field] = []
        var body = Data()
        /// The reason why the response is not complete, which browsers write as `_error`.
        var error: String?
    }

    /// The time of the request.
    var startedAt: Date
    var request: Request
    var response: Response
    /// The time until the response head, or zero if it is not recorded.
    var wait: Duration = .zero

    /// The tests that have requested the entry, as arguments of `swift test --filter`.
    var tests: [String] = []

    /// Whether the header fields describe content that the response does not contain.
    ///
    /// `Content-Length` then describes another response (RFC 9110, section 8.6).
    var omitsContent: Bool { request.method.uppercased() == "HEAD" || response.status == 304 }
}

extension HAREntry.Request {
    /// Creates the request of an entry from a request that a server received.
    init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue, url: request.url.absoluteString,
            headers: request.headers.map { HAREntry.Field(name: $0.key, value: $0.value) }
                .sorted { ($0.name, $0.value) < ($1.name, $1.value) },
            body: request.body)
    }

    /// The request as a server receives it, or `nil` if its URL is invalid.
    var recorded: RecordedRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for field in headers where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(headers.value(named: field.name), forHTTPHeaderField: field.name)
        }
        return RecordedRequest(request, url: url, body: body)
    }

    /// Returns the request with placeholders for secrets that its file does not mask.
    ///
    /// - Parameters:
    ///   - redaction: The rule that selects the secrets.
    ///   - placeholders: The placeholders of the file.
    ///   - numbers: The numbers of the secrets in the requests of the file so far.
    /// - Returns: The request.
    func masked(
        by redaction: Redaction, besides placeholders: PlaceholderSet,
        numbering numbers: inout [String: Int]
    ) -> HAREntry.Request {
        normalized.redacted(by: redaction) { secret in
            guard !placeholders.occur(in: secret) else { return secret }
            let number = numbers[secret] ?? numbers.count + 1
            numbers[secret] = number
            // No placeholder of a file has this leading zero.
            return "REDACTED-0\(number)"
        }
    }

    func isOpen(_ placeholders: PlaceholderSet) -> Bool {
        placeholders.occur(in: url) || headers.contains { placeholders.occur(in: $0.value) }
            || !placeholders.occurrences(in: Array(body)).isEmpty
    }

    /// Returns the request with one text in place of all placeholders.
    func blanked(_ placeholders: PlaceholderSet) -> HAREntry.Request {
        var request = self
        request.url = url.mapText(placeholders.blanked)
        for index in headers.indices {
            request.headers[index].value = headers[index].value.mapText(placeholders.blanked)
        }
        request.body = Data(placeholders.blanked(Array(body)))
        return request
    }
}

extension RecordedRequest {
    /// Returns the request with the secrets of a cassette masked, for a failure.
    func masked(for cassette: Cassette) -> RecordedRequest {
        let masked = HAREntry.Request(self).redacted(by: cassette.redaction) { _ in
            Redaction.mask
        }
        var request = RecordedRequest(
            urlRequest, url: URL(string: masked.url) ?? url, body: masked.body)
        request.redirectSource = redirectSource.map(cassette.redaction.text(ofValue:))
        return request
    }
}

extension HAREntry {
    /// The entry as recordings store it, without fields that describe only the connection.
    var normalized: HAREntry {
        var entry = self
        entry.startedAt = startedAt.inMilliseconds
        entry.request = request.normalized
        entry.response.headers = response.headers
            .normalized(ofLength: omitsContent ? nil : response.body.count)
        return entry
    }
}

extension HAREntry.Request {
    /// The boundary of recorded multipart bodies.
    private static let boundary = "boundary"

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
        guard let type = headers.first(where: { $0.name.lowercased() == "content-type" })?.value,
            type.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: type)["boundary"],
            let name = type.range(of: "boundary=", options: .caseInsensitive),
            let body = body.replacing(boundary: boundary, with: Self.boundary)
        else { return request }
        request.body = body
        request.headers.replaceValues(of: "content-length", with: "\(body.count)")
        let newType = type.replacing(
            boundary, with: Self.boundary, subrange: name.upperBound..<type.endIndex,
            maxReplacements: 1)
        request.headers.replaceValues(of: "content-type", with: newType)
        return request
    }
}

extension [HAREntry.Field] {
    /// Returns the fields of a response without connection fields, and with a field for each
    /// cookie.
    ///
    /// - Parameter length: The length of the body, or `nil` if `Content-Length` describes another
    ///   body. A `Content-Length` with another value is dropped.
    /// - Returns: The fields.
    func normalized(ofLength length: Int?) -> Self {
        var fields = withoutConnectionFields
        if let length { fields.removeLength(exceptFor: length) }
        // An `HTTPURLResponse` joins the `Set-Cookie` fields of a response into one.
        return fields.flatMap { field -> Self in
            guard field.name.lowercased() == "set-cookie" else { return [field] }
            let bytes = [UInt8](field.value.utf8)
            return SecretSearch.setCookieFields(in: bytes).compactMap { range in
                let cookie = String(decoding: bytes[range], as: UTF8.self)
                    .trimmingCharacters(in: .whitespaces)
                return cookie.isEmpty ? nil : HAREntry.Field(name: field.name, value: cookie)
            }
        }
    }

    /// Removes a `Content-Length` that differs from the size, such as the compressed size.
    mutating func removeLength(exceptFor count: Int) {
        removeAll { $0.name.lowercased() == "content-length" && $0.value != "\(count)" }
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

extension Data {
    /// Returns a multipart body with another boundary, or `nil` if it contains the new boundary.
    fileprivate func replacing(boundary: String, with other: String) -> Data? {
        guard !boundary.isEmpty, boundary != other, range(of: Data("--\(other)".utf8)) == nil else {
            return nil
        }
        let delimiter = Data("--\(boundary)".utf8)
        var result = Data()
        var start = startIndex
        for found in occurrences(of: delimiter) {
            result += self[start..<found.lowerBound] + Data("--\(other)".utf8)
            start = found.upperBound
        }
        return result + self[start...]
    }
}
