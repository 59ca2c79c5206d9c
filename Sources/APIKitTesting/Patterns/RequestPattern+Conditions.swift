import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to a host, in lower case.
    public func host(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("host", pattern) { $0.url.host?.lowercased() })
    }

    /// Narrows the pattern to a scheme, in lower case.
    public func scheme(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("scheme", pattern) { $0.url.scheme?.lowercased() })
    }

    /// Narrows the pattern to a port, be it in the URL or that of the scheme.
    public func port(_ port: Int) -> RequestPattern {
        adding(
            Condition("port", "\(port)") { request in
                let standard = ["http": 80, "https": 443][request.url.scheme?.lowercased() ?? ""]
                return (request.url.port ?? standard).map(String.init)
            })
    }

    /// Narrows the pattern to requests with a query item.
    ///
    /// Values are compared after decoding: `%20` is a space, and `+` is a plus, as RFC 3986 has it.
    /// Of a name that is repeated, one value has to match.
    public func query(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "query \(name)", pattern, isSecret: Redaction.hidesItem(named: name),
                values: { request in
                    request.queryItems.filter { $0.name == name }.map { $0.value ?? "" }
                }))
    }

    /// Narrows the pattern to requests with these query items and no others, in any order.
    ///
    /// A name may be repeated; then each of its values has to be there.
    public func query(exactly items: KeyValuePairs<String, String>) -> RequestPattern {
        adding(Condition(queryExactly: items.map { URLQueryItem(name: $0.key, value: $0.value) }))
    }

    /// Narrows the pattern to requests with a cookie.
    public func cookie(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "cookie \(name)", pattern, isSecret: true,
                values: { request in request.cookies[name].map { [$0] } ?? [] }))
    }

    /// Narrows the pattern to requests with a header, whatever the case of its name.
    public func header(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "header \(name)", pattern, isSecret: Redaction.hidesHeader(name),
                values: { request in request.header(name).map { [$0] } ?? [] }))
    }

    /// Narrows the pattern to requests whose body is this JSON, by meaning.
    ///
    /// The order of keys and white space do not matter, and `1.0` is `1`; `true` is not.
    public func json(
        _ value: some Encodable & Sendable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder))
    }

    /// Narrows the pattern to requests whose body holds this JSON, and maybe more.
    ///
    /// An object may have further members at any depth. An array has as many elements as expected,
    /// each holding what is expected of it.
    public func jsonContaining(
        _ value: some Encodable & Sendable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder, isPartial: true))
    }

    /// Narrows the pattern to requests whose body is these bytes.
    public func body(_ data: Data) -> RequestPattern {
        adding(
            Condition(label: "body of \(data.count) bytes") {
                $0.body == data
            } differences: { request in
                let others = request.body.count == data.count ? " others" : ""
                return ["body: expected \(data.count) bytes, got \(request.body.count)\(others)"]
            })
    }

    /// Narrows the pattern to requests whose body, as UTF-8 text, matches.
    public func body(_ pattern: ValuePattern) -> RequestPattern {
        let expected = pattern.expectation(masked: false)
        return adding(
            Condition(label: "body: \(expected)") { request in
                pattern.accepts(request.text)
            } differences: { request in
                ["body: expected \(expected), got \(request.shownBody ?? "none")"]
            })
    }

    /// Narrows the pattern to requests with a field in the form that is their body.
    ///
    /// A form is what says it is one, with or without a charset: `application/x-www-form-urlencoded`.
    public func form(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "form field \(name)", pattern, isSecret: Redaction.hidesItem(named: name),
                values: { request in
                    request.form.filter { $0.name == name }.map { $0.value ?? "" }
                }))
    }

    /// Narrows the pattern to requests with a part in their multipart body.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - fileName: What its file name has to be, if it matters.
    ///   - contentType: What its content type has to be, if it matters.
    ///   - body: What its text has to be, if it matters.
    /// - Returns: The pattern.
    public func part(
        _ name: String,
        fileName: ValuePattern? = nil,
        contentType: ValuePattern? = nil,
        body: ValuePattern? = nil
    ) -> RequestPattern {
        adding(Condition(part: name, fileName: fileName, contentType: contentType, body: body))
    }

    /// Narrows the pattern to requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: What is asked for, as a failure would say it: "an even id".
    ///   - test: Tells whether a request is that. It is called on the thread of the loading system,
    ///     so it should only look.
    /// - Returns: The pattern.
    public func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        adding(Condition(label: label, accepts: test) { _ in ["expected \(label)"] })
    }

    /// Requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: What is asked for, as a failure would say it: "an even id".
    ///   - test: Tells whether a request is that. It is called on the thread of the loading system,
    ///     so it should only look.
    /// - Returns: The pattern.
    public static func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        any.where(label, test)
    }
}
