import APIKit
import Foundation

extension RecordedExchange {
    /// The exchange without the parts that differ in each recording: the fields of the connection, the
    /// order of cookies, and the boundary of a multipart body.
    ///
    /// The response has a field for each cookie, and no `Content-Length` that describes another body,
    /// such as the compressed one.
    var normalized: RecordedExchange {
        var exchange = self
        exchange.request = request.normalized
        // A time would change the file with each recording.
        exchange.response.arrivedAt = nil
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

    /// The boundary of a multipart body.
    var boundary: String? {
        guard let type = header("Content-Type"), type.mediaType.hasPrefix("multipart/")
        else { return nil }
        return FieldReader.parameters(of: type)["boundary"]
    }

    /// The request without the parts that differ in each recording.
    var normalized: RecordedRequest {
        var (fields, body) = (fields.withoutConnectionFields, body)
        if let cookie = header("Cookie") {
            // The system sends cookies in any order.
            let cookies = cookie.split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            fields.replaceValues(of: "Cookie", with: cookies.sorted().joined(separator: "; "))
        }
        if let boundary, let type = header("Content-Type"),
            let name = type.range(of: "boundary=", options: .caseInsensitive),
            let value = type[name.upperBound...].range(of: boundary),
            body.range(of: Data("--boundary".utf8)) == nil
        {
            fields.replaceValues(
                of: "Content-Type", with: type.replacingCharacters(in: value, with: "boundary"))
            let (old, line) = (body, Data("\n--".utf8))
            body = Data(
                (line.prefix(1) + body)
                    .replacing(line + Data(boundary.utf8), with: line + Data("boundary".utf8))
                    .dropFirst())
            fields.setLength(of: body, insteadOf: old)
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
        let dropped =
            FieldReader.words(of: value(named: "Connection")) + [
                "connection", "keep-alive", "proxy-connection", "te", "trailer",
                "transfer-encoding",
                "upgrade",
            ]
        return filter { !dropped.contains($0.name.lowercased()) }
    }
}
