import APIKit
import Foundation

extension MockResponse {
    /// A resource, which responds to the conditions and the range of a request as a server does.
    ///
    /// ```swift
    /// server.on(.get("/dogs"), reply: .resource(.json(dogs).header("ETag", #""v1""#)))
    /// ```
    ///
    /// The rules are those of RFC 9110, sections 13 and 14. The status is 304 if `If-None-Match` or
    /// `If-Modified-Since` names the representation, and 412 if `If-Match` or `If-Unmodified-Since`
    /// names another one. With a `Range` it is 206 or 416, unless `If-Range` names another
    /// representation. Otherwise it is 200. The resource ignores invalid dates, malformed ranges, lists
    /// of several ranges, and the range of a HEAD.
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
        guard case .body(let body) = representation.content, representation.status == 200,
            !representation.isPassthrough
        else {
            return MockResponse(
                problem: """
                    a resource needs a whole body and status 200. Pass .json, .text, .data or .fixture
                    """)
        }
        var resource = representation
        for (name, value) in representation.headers {
            if let problem = problem(ofValidator: name, value) {
                return MockResponse(problem: problem)
            }
        }
        resource.isResource = true
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
        guard isResource, case .body(let body) = content else { return self }
        let validators = Validators(headers)
        if let status = validators.status(for: request) { return withoutContent(status) }
        guard let range = validators.range(of: request, in: body.count) else { return self }
        guard !range.isEmpty else {
            return withoutContent(416).header("Content-Range", "bytes */\(body.count)")
        }
        var part = self
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
        let hash = body.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash
        }
        return "\"\(String(hash, radix: 16))\""
    }
}
