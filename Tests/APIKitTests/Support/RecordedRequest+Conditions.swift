import APIKitTesting

extension RecordedRequest {
    /// Whether the request asks for the body only if it has changed.
    var isConditional: Bool {
        header("If-None-Match") != nil || header("If-Modified-Since") != nil
    }

    /// Answers as the owner of a resource with an entity tag: 304 to whoever has it already.
    func answer(
        _ text: String = "body", tag: String = "\"1\"", headers: [String: String] = [:]
    ) -> MockResponse {
        let response: MockResponse =
            header("If-None-Match") == tag ? .status(304) : .text(text)
        return headers.reduce(response.header("ETag", tag)) { $0.header($1.key, $1.value) }
    }
}

extension [RecordedRequest] {
    /// Which of the requests are conditional.
    var conditions: [Bool] { map(\.isConditional) }
}
