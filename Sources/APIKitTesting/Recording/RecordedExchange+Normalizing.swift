import APIKit
import Foundation

extension RecordedExchange {
    /// How the request type of the load reads the response, if a client has sent the request.
    var reader: ResponseParser? { request.apiRequest.map { ResponseParser($0) } }

    /// The exchange without the parts that differ in each recording: the fields of the connection, the
    /// order of cookies, and the boundary of a multipart body.
    ///
    /// The response has a field for each cookie, and no `Content-Length` that describes another body,
    /// such as the compressed one.
    var normalized: RecordedExchange {
        var exchange = self
        exchange.request = request.normalized
        // A HEAD and a 304 describe content that they do not contain (RFC 9110, section 8.6).
        let omitsContent = request.method == .head || response.status == 304
        // An `HTTPURLResponse` joins the `Set-Cookie` fields of a response into one.
        exchange.response.fields = response.fields.withoutConnectionFields.flatMap { field in
            switch field.name.lowercased() {
            case "content-length":
                return omitsContent || field.value == "\(response.body.count)" ? [field] : []
            case "set-cookie":
                let cookies = FieldReader.setCookieFields(in: field.value)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                return cookies.filter { !$0.isEmpty }
                    .map { HeaderField(name: field.name, value: $0) }
            default: return [field]
            }
        }
        return exchange
    }
}

extension RecordedRequest {
    /// The header fields, in the order of their names.
    var fields: [HeaderField] { [HeaderField](headers) }

    fileprivate var normalized: RecordedRequest {
        var (fields, body) = (fields.withoutConnectionFields, body)
        if let cookie = header("Cookie") {
            // The system sends cookies in any order.
            let cookies = cookie.split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            fields.replaceValues(of: "Cookie", with: cookies.sorted().joined(separator: "; "))
        }
        if let type = header("Content-Type"), type.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: type)["boundary"],
            let name = type.range(of: "boundary=", options: .caseInsensitive),
            let value = type[name.upperBound...].range(of: boundary),
            let other = body.replacing(boundary: boundary, with: "boundary")
        {
            fields.replaceValues(
                of: "Content-Type", with: type.replacingCharacters(in: value, with: "boundary"))
            fields.setLength(of: other, insteadOf: body)
            body = other
        }
        return with(url, fields: fields, body: body)
    }
}

extension [HeaderField] {
    /// Sets the `Content-Length`, which a client checks in a replay, of a body in place of another one.
    ///
    /// If the length is unchanged, the field is too, because it may differ from the length, as in the
    /// response to a HEAD.
    mutating func setLength(of body: Data, insteadOf old: Data) {
        guard body.count != old.count else { return }
        replaceValues(of: "Content-Length", with: "\(body.count)")
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
