import APIKit
import Foundation

extension MockResponse {
    /// A recorded response, with changes in its JSON, so that a stub agrees with the real server.
    ///
    /// <doc:when-the-server-changes> shows an example. Write a path as in ``RequestPattern/json(at:_:)-(String,ValuePattern)``. `nil` removes a value, and
    /// `.null` sets it to null. The file is read when you create the response. A file that cannot be
    /// read, a pattern without an entry, and a path without a value fail the test.
    ///
    /// - Parameters:
    ///   - pattern: The recorded request. Its first entry with a status of 2xx counts.
    ///   - cassette: The recording.
    ///   - changes: The new values by the paths of existing values.
    ///   - additions: The values by the paths of new members.
    ///   - filePath: The source file of the test, beside which the recording of a literal lies.
    /// - Returns: The response.
    public static func recorded(
        _ pattern: RequestPattern, in cassette: Cassette,
        changing changes: [String: JSONValue?] = [:],
        adding additions: [String: JSONValue] = [:],
        filePath: StaticString = #filePath
    ) -> MockResponse {
        let cassette = cassette.inFile(filePath)
        let file = RecordingFile(cassette)
        if let problem = pattern.problem ?? file.problem { return MockResponse(.invalid(problem)) }
        let entry = file.entries.first { entry in
            (200...299).contains(entry.response.status) && pattern.matches(entry.request)
        }
        guard let entry else {
            let requests = Set(file.entries.map { "\($0.request.method) \($0.request.url)" })
            let list = requests.sorted().prefix(5).map { Redaction.secrets.masked($0) }
            return MockResponse(
                .invalid(
                    """
                    \(cassette.shownPath) has no entry of \(pattern) with a status of 2xx. It has \
                    \(list.isEmpty ? "no entries" : list.joined(separator: ", "))
                    """))
        }
        var response = MockResponse(replaying: entry)
        guard !changes.isEmpty || !additions.isEmpty else { return response }
        do {
            var json = try JSONDecoder().decode(JSONValue?.self, from: entry.response.body)
            // The last element first, because a removed one moves those after it.
            for (path, value) in changes.sorted(by: {
                $0.key.compare($1.key, options: .numeric) == .orderedDescending
            }) {
                json = try json?.setting(JSONPath(path).name, to: value, isNew: false)
            }
            for (path, value) in additions.sorted(by: { $0.key < $1.key }) {
                json = try json?.setting(JSONPath(path).name, to: value, isNew: true)
            }
            let body = try JSONEncoder().encode(json)
            response.content = .body(body)
            return response.header("Content-Length", "\(body.count)")
        } catch {
            let reason =
                (error as? Condition.Mistake)?.text
                ?? "it has no JSON: \(APIError.clause(for: error))"
            return MockResponse(.invalid("\(pattern) in \(cassette.shownPath): \(reason)"))
        }
    }

    /// Creates the recorded response of an entry, with its own header fields only.
    ///
    /// An entry whose body is missing in the file fails the load at once.
    init(replaying entry: RecordedExchange) {
        if let error = entry.response.error {
            let request = "\(entry.request.method) \(entry.request.url)"
            let text = "The recording of \(request) is not complete: \(error)."
            let failure = TestFailure(Redaction.secrets.masked(text), at: nil)
            self.init(.failure { _ in failure })
            return
        }
        var response = MockResponse(status: entry.response.status, .body(entry.response.body))
        (response.headers, response.isDecoded) = ([:], true)
        for field in entry.response.fields where field.name.problemAsHeaderName == nil {
            let isCookie = field.name.lowercased() == "set-cookie"
            response = response.header(
                field.name, isCookie ? entry.moved(cookie: field.value) : field.value)
        }
        self = response
    }
}

extension RecordedExchange {
    /// Returns a cookie that lives as long from now on as it lived from the recording on.
    ///
    /// The storage of a session compares the date with the time of the system.
    fileprivate func moved(cookie: String) -> String {
        guard let startedAt else { return cookie }
        let attributes = cookie.split(separator: ";", omittingEmptySubsequences: false)
        return attributes.map { attribute in
            let (name, value) = attribute.split(at: "=")
            guard name.trimmingCharacters(in: .whitespaces).lowercased() == "expires",
                let date = HTTPDate.cookieDate(String(value))
            else { return String(attribute) }
            return "\(name)=\(HTTPDate.format(date + Date().timeIntervalSince(startedAt)))"
        }.joined(separator: ";")
    }
}
