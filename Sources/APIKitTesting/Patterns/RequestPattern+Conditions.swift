import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to requests whose host matches a value pattern.
    ///
    /// Both hosts are compared in lower case and in ASCII: `Bücher.example` and
    /// `xn--bcher-kva.example` are the same host. A regular expression and a closure receive the
    /// second form. To match only a part of a host, spell out every non-ASCII label in full, as
    /// in `.suffix(".bücher.example")`. Before macOS 14 and iOS 17, write such a label in ASCII.
    public func host(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("host", pattern.mapTexts(\.asciiHost)) { $0.url.host?.asciiHost })
    }

    /// Narrows the pattern to requests whose scheme, in lower case, matches a value pattern.
    public func scheme(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("scheme", pattern) { $0.url.scheme?.lowercased() })
    }

    /// Narrows the pattern to a port; a URL without a port has the default port of its scheme.
    public func port(_ port: Int) -> RequestPattern {
        adding(
            Condition("port", "\(port)") { request in
                (request.url.port ?? request.url.defaultPort).map(String.init)
            })
    }

    /// Narrows the pattern to requests with a query item.
    ///
    /// Values are first decoded as in RFC 3986: `%20` is a space, and `+` is a plus sign. If a name
    /// repeats, one of its values must match.
    public func query(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        var condition = Condition(
            "query \(name)", pattern, isSecret: Redaction.hidesValue(named: name),
            values: { request in
                request.queryItems.compactMap { $0.name == name ? $0.value ?? "" : nil }
            })
        condition.itemNames = [name]
        return adding(condition)
    }

    /// Narrows the pattern to requests with these query items and no others, in any order.
    ///
    /// Write the items as for a `URLRequest`: `nil` means no item, and an array means one item for
    /// each element. If a name repeats, the request must have each of its values.
    public func query(exactly query: QueryItems) -> RequestPattern {
        adding(Condition(queryExactly: query.items))
    }

    /// Narrows the pattern to requests with a cookie.
    public func cookie(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("cookie \(name)", pattern, isSecret: true) { $0.cookies[name] })
    }

    /// Narrows the pattern to requests with a header field, whose name is case-insensitive.
    public func header(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        if let problem = name.problemAsHeaderName { return adding(Condition(problem: problem)) }
        let isSecret = Redaction.hidesHeader(name)
        return adding(Condition("header \(name)", pattern, isSecret: isSecret) { $0.header(name) })
    }

    /// Narrows the pattern to requests with Basic credentials (RFC 7617).
    ///
    /// Failures mask the user and the password.
    public func basicAuthentication(
        user: ValuePattern, password: ValuePattern = .any
    ) -> RequestPattern {
        adding(
            Condition("user of Basic credentials", user, isSecret: true) {
                $0.basicCredentials?.user
            }
        ).adding(
            Condition("password of Basic credentials", password, isSecret: true) {
                $0.basicCredentials?.password
            })
    }

    /// Narrows the pattern to requests whose body equals these bytes.
    public func body(_ data: Data) -> RequestPattern {
        adding(
            Condition(label: "body of \(data.count) bytes") {
                $0.body == data
            } addDifferences: { request, list in
                let index = data.firstDifference(from: request.body)
                list.addDifference(
                    "body", expected: "\(data.count) bytes",
                    got: "\(request.body.count), which differ from index \(index) on")
            })
    }

    /// Narrows the pattern to requests whose body is UTF-8 text that matches a value pattern.
    public func body(_ pattern: ValuePattern) -> RequestPattern {
        let expected = pattern.expectation(masked: false)
        return adding(
            Condition(label: "body: \(expected)") { request in
                pattern.accepts(request.text)
            } addDifferences: { request, list in
                list.addDifference("body", expected: expected, got: request.shownBody ?? "none")
            })
    }

    /// Narrows the pattern to requests with a form field.
    ///
    /// The content type of a form is `application/x-www-form-urlencoded`, with or without a charset.
    public func form(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "form field \(name)", pattern, isSecret: Redaction.hidesValue(named: name),
                values: { request in
                    request.form.filter { $0.name == name }.map { $0.value ?? "" }
                }, absence: \.textOfMissingFormField))
    }

    /// Narrows the pattern to requests with a part in their multipart body.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - fileName: The file name of the part. `nil` accepts any.
    ///   - contentType: The content type of the part. `nil` accepts any.
    ///   - body: The text of the part. `nil` accepts any.
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
    ///   - label: The expected request in a failure, such as "an even id".
    ///   - test: Returns whether a request matches. It runs on the loading thread, so it must not
    ///     block.
    /// - Returns: The pattern.
    public func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        adding(
            Condition(label: label, accepts: test) { _, list in list.add("expected \(label)") })
    }

    /// Requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: The expected request in a failure, such as "an even id".
    ///   - test: Returns whether a request matches. It runs on the loading thread, so it must not
    ///     block.
    /// - Returns: The pattern.
    public static func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        any.where(label, test)
    }
}

extension RecordedRequest {
    /// The user and the password in the header field `Authorization`.
    fileprivate var basicCredentials: (user: String, password: String)? {
        let (scheme, credentials) = (header("Authorization") ?? "").split(at: " ")
        guard scheme.lowercased() == "basic",
            let data = Data(base64Encoded: credentials.trimmingCharacters(in: .whitespaces)),
            let text = String(data: data, encoding: .utf8), text.contains(":")
        else { return nil }
        // Only the password can contain a colon.
        let (user, password) = text.split(at: ":")
        return (String(user), String(password))
    }
}

extension Data {
    /// Returns the number of equal bytes before the first difference.
    fileprivate func firstDifference(from other: Data) -> Int {
        // Bisect, because a loop over all bytes is slow without optimization.
        var (equal, different) = (0, Swift.min(count, other.count) + 1)
        while different - equal > 1 {
            let middle = (equal + different) / 2
            if prefix(middle) == other.prefix(middle) { equal = middle } else { different = middle }
        }
        return equal
    }
}

extension RequestPattern {
    /// Narrows the pattern to requests whose host is a value.
    ///
    /// The comparison ignores case, and the two forms of an internationalized name are equal. `nil`
    /// means that the URL has no host.
    public func host(_ value: some QueryValue) -> RequestPattern {
        host(ValuePattern(value))
    }

    /// Narrows the pattern to requests whose query has an item with a value.
    ///
    /// If the name repeats, one of its values must be equal. An array means one item for each
    /// element, in any order, and no other item of that name. `nil` and an empty array mean no item
    /// of that name.
    public func query(_ name: String, _ value: some QueryValue) -> RequestPattern {
        query(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose cookie has a value.
    ///
    /// `nil` means that there is no such cookie.
    public func cookie(_ name: String, _ value: some QueryValue) -> RequestPattern {
        cookie(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose header field has a value.
    ///
    /// The name is case-insensitive. `nil` means that there is no such field.
    public func header(_ name: String, _ value: some QueryValue) -> RequestPattern {
        header(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose form has a field with a value.
    ///
    /// If the name repeats, one of its values must be equal. An array means one field for each
    /// element, in any order, and no other field of that name. `nil` and an empty array mean no field
    /// of that name.
    public func form(_ name: String, _ value: some QueryValue) -> RequestPattern {
        form(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose body is a text in UTF-8.
    public func body(_ text: String) -> RequestPattern {
        body(ValuePattern(text))
    }
}
