import APIKit
import Foundation

extension MockResponse {
    /// A resource, which responds to the conditions and the range of a request as a server does.
    ///
    /// ```swift
    /// server.on(.get("/dogs"), reply: .resource(.json(dogs).header("ETag", #""v1""#)))
    /// ```
    ///
    /// The resource follows RFC 9110, sections 13 and 14. The status is 304 if `If-None-Match` or
    /// `If-Modified-Since` names the representation, and 412 if `If-Match` or `If-Unmodified-Since`
    /// names another one. With a `Range`, the status is 206 or 416, unless `If-Range` names another
    /// representation. Otherwise it is 200. The resource ignores invalid dates, malformed ranges,
    /// lists of several ranges, and the range of a HEAD.
    ///
    /// For other methods, such as PUT, the resource ignores `If-Modified-Since` and the range, and the
    /// status for `If-None-Match` is 412. The request does not change the resource. For an OPTIONS, the
    /// resource ignores all conditions.
    ///
    /// The validators are the header fields `ETag` and `Last-Modified`. A representation with neither
    /// gets a strong entity tag, which is made from its bytes. A malformed validator fails the test.
    ///
    /// Delays, rates and truncation apply to every response. A truncated resource breaks the connection
    /// after the same number of bytes each time, so a client that resumes receives the next part.
    ///
    /// - Parameter representation: A response with status 200 and a whole body, such as `.json`,
    ///   `.text`, `.data` or `.fixture`. Any other response fails the test.
    /// - Returns: The response.
    public static func resource(_ representation: MockResponse) -> MockResponse {
        guard representation.problem == nil else { return representation }
        guard case .body(let body) = representation.content, representation.status == 200 else {
            let advice = "Pass .json, .text, .data or .fixture"
            return MockResponse(.invalid("a resource needs a whole body and status 200. \(advice)"))
        }
        if let problem = representation.headers.compactMap({ problem(ofValidator: $0, $1) }).first {
            return MockResponse(.invalid(problem))
        }
        var resource = representation
        resource.content = .resource(body)
        resource.headers["Accept-Ranges"] = "bytes"
        if resource.headers["ETag"] == nil, resource.headers["Last-Modified"] == nil {
            resource.headers["ETag"] = entityTag(of: body)
        }
        return resource
    }

    /// Returns the mistake in a header field of a resource, if it is a malformed validator.
    static func problem(ofValidator name: String, _ value: String) -> String? {
        switch name {
        case "ETag" where EntityTag.list(value) != [value]:
            "\(value) is not an entity tag. Write its quotes too, as in #\"\"v1\"\"#"
        case "Last-Modified" where HTTPDate.parse(value) == nil:
            """
            \(value) is not the date of a header field. Write it as in Tue, 01 Sep 2026 10:00:00 GMT
            """
        default: nil
        }
    }

    /// Returns the response of a resource to a request, or any other response unchanged.
    func selected(for request: RecordedRequest) -> MockResponse {
        guard case .resource(let body) = content else { return self }
        if let status = conditionStatus(for: request) { return withoutContent(status) }
        var part = self
        guard let range = range(of: request, in: body.count) else {
            part.content = .body(body)
            return part
        }
        guard !range.isEmpty else {
            return withoutContent(416).header("Content-Range", "bytes */\(body.count)")
        }
        part.status = 206
        part.content = .body(Data(body.dropFirst(range.lowerBound).prefix(range.count)))
        part.headers["Content-Length"] = "\(range.count)"
        part.headers["Content-Range"] =
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
        return part
    }

    /// Returns the response with another status, without its content and the fields that describe it.
    private func withoutContent(_ status: Int) -> MockResponse {
        let described = ["content-type", "content-length", "content-encoding", "content-language"]
        var response = self
        response.status = status
        response.content = .body(Data())
        response.headers = headers.filter { !described.contains($0.key.lowercased()) }
        return response
    }

    /// Returns an entity tag that is the same for the same bytes (FNV-1a, 64 bits).
    private static func entityTag(of body: Data) -> String {
        let hash = body.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\"\(String(hash, radix: 16))\""
    }
}

// The conditions of a request, which a server compares with the validators of a representation.
extension MockResponse {
    private var eTag: String? { headers["ETag"] }

    private var lastModified: Date? { headers["Last-Modified"].flatMap(HTTPDate.parse) }

    /// Returns the status that the conditions of a request require, or `nil` if they allow 200.
    ///
    /// RFC 9110, section 13.2.2, defines the order of the conditions.
    private func conditionStatus(for request: RecordedRequest) -> Int? {
        // Preconditions do not apply to OPTIONS (section 13.2.1).
        if request.method == .options { return nil }
        let isRead = [.get, .head].contains(request.method)
        if let field = request.header("If-Match") {
            guard isNamed(by: field, strongly: true) else { return 412 }
        } else if let date = request.date("If-Unmodified-Since"), let lastModified {
            guard lastModified <= date else { return 412 }
        }
        if let field = request.header("If-None-Match") {
            guard isNamed(by: field, strongly: false) else { return nil }
            return isRead ? 304 : 412
        }
        guard isRead, let date = request.date("If-Modified-Since"), let lastModified
        else { return nil }
        return lastModified <= date ? 304 : nil
    }

    /// Returns the bytes that a request selects, or `nil` for the whole representation.
    ///
    /// The range is empty if it cannot be satisfied.
    private func range(of request: RecordedRequest, in size: Int) -> Range<Int>? {
        // The standard defines ranges only for GET (section 14.2).
        guard request.method == .get, let field = request.header("Range"), allowsRange(of: request)
        else { return nil }
        return Range(bytesOf: field, in: size)
    }

    private func allowsRange(of request: RecordedRequest) -> Bool {
        guard let field = request.header("If-Range") else { return true }
        let validator = field.trimmingCharacters(in: .whitespaces)
        if validator.contains("\"") { return validator == eTag && EntityTag.isStrong(validator) }
        return request.date("If-Range").map { $0 == lastModified } ?? false
    }

    private func isNamed(by field: String, strongly: Bool) -> Bool {
        if field.trimmingCharacters(in: .whitespaces) == "*" { return true }
        guard let eTag else { return false }
        return EntityTag.list(field).contains {
            strongly ? $0 == eTag && EntityTag.isStrong(eTag) : EntityTag.isMatch($0, eTag)
        }
    }
}

extension RecordedRequest {
    /// The date of a header field, or `nil` if the field is missing or invalid.
    fileprivate func date(_ name: String) -> Date? {
        header(name).flatMap { HTTPDate.parse($0.trimmingCharacters(in: .whitespaces)) }
    }
}

extension Range<Int> {
    /// Creates the range that a `Range` selects from a number of bytes (RFC 9110, section 14.1.2).
    ///
    /// It is empty if it cannot be satisfied, and `nil` unless the field has exactly one valid
    /// range.
    fileprivate init?(bytesOf field: String, in size: Int) {
        let (unit, list) = field.drop(while: \.isWhitespace).split(at: "=")
        let blanks = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: ","))
        let (start, end) = list.trimmingCharacters(in: blanks).split(at: "-")
        guard unit.lowercased() == "bytes", list.contains("-"),
            [start, end].allSatisfy({ $0.isEmpty || $0.isDigits })
        else { return nil }
        // A number may be too large for an `Int`.
        let (first, last) = (Int(start) ?? .max, Int(end) ?? .max)
        if start.isEmpty {
            // The last bytes. A 206 cannot contain the end of an empty representation.
            guard !end.isEmpty, size > 0 || last == 0 else { return nil }
            self = Swift.max(0, size - last)..<size
        } else {
            guard first <= last else { return nil }
            self = Swift.min(first, size)..<(Swift.min(last, size - 1) + 1)
        }
    }
}
