import APIKit
import Foundation

extension HAREntry {
    /// The entry as recordings hold it, without what describes only the connection.
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
    /// The request without the parts that differ in each recording: the fields of the connection, the
    /// order of cookies, and the boundary of a multipart body.
    var normalized: HAREntry.Request {
        var request = self
        request.headers = headers.withoutConnectionFields.map { field in
            // The system sends cookies in any order.
            let isCookie = field.name.lowercased() == "cookie"
            return isCookie
                ? HAREntry.Field(name: field.name, value: field.value.sortedCookies) : field
        }
        guard let index = headers.firstIndex(where: { $0.name.lowercased() == "content-type" }),
            case let type = headers[index].value, type.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: type)["boundary"],
            let name = type.range(of: "boundary=", options: .caseInsensitive),
            let body = body.replacing(boundary: boundary, with: HAREntry.boundary)
        else { return request }
        request.body = body
        request.headers.setLength(body.count)
        for index in request.headers.indices
        where request.headers[index].name.lowercased() == "content-type" {
            request.headers[index].value = type.replacing(
                boundary, with: HAREntry.boundary, subrange: name.upperBound..<type.endIndex,
                maxReplacements: 1)
        }
        return request
    }
}

extension HAREntry {
    /// The boundary of recorded multipart bodies.
    fileprivate static let boundary = "boundary"
}

extension [HAREntry.Field] {
    /// Returns the fields of a response without what describes only the connection.
    ///
    /// - Parameter length: The length of the body, or `nil` if `Content-Length` describes another
    ///   body. A length that does not fit is dropped.
    /// - Returns: The fields.
    func normalized(ofLength length: Int?) -> Self {
        var fields = withoutConnectionFields
        if let length { fields.removeLength(exceptFor: length) }
        return fields.flatMap { field -> Self in
            guard field.name.lowercased() == "set-cookie" else { return [field] }
            return cookies(in: field.value).map { HAREntry.Field(name: field.name, value: $0) }
        }
    }

    /// Removes `Content-Length` if it does not fit, as that of a compressed body.
    mutating func removeLength(exceptFor count: Int) {
        removeAll { $0.name.lowercased() == "content-length" && $0.value != "\(count)" }
    }

    /// The fields without those that only describe the connection (RFC 9110, section 7.6.1).
    fileprivate var withoutConnectionFields: Self {
        let named = filter { $0.name.lowercased() == "connection" }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let dropped = Set(named).union([
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
            "upgrade",
        ])
        return filter { !dropped.contains($0.name.lowercased()) }
    }
}

extension String {
    fileprivate var sortedCookies: String {
        split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
            .joined(separator: "; ")
    }
}

/// Returns the values of `Set-Cookie` that the loading system has joined by commas.
///
/// The comma of an expiry date is not followed by a name and an equals sign.
private func cookies(in field: String) -> [String] {
    let separator = /,[ \t]*(?=[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*=)/.matchingSemantics(
        .unicodeScalar)
    return field.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) }
}

extension Data {
    /// Returns a multipart body with another boundary, or `nil` if the body contains that one.
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
