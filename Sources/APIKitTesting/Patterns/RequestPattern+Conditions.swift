import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to requests whose host matches a value pattern.
    ///
    /// Both hosts are compared in lower case and in ASCII: `Bücher.example` and
    /// `xn--bcher-kva.example` are the same host. A regular expression and a closure receive the
    /// second form. Spell out every non-ASCII label in full, as in `.suffix(".bücher.example")`, and
    /// in ASCII before macOS 14 and iOS 17.
    public func host(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("host", pattern.mapTexts(\.plainHost)))
    }

    /// Narrows the pattern to a port; a URL without a port has the default port of its scheme.
    public func port(_ port: Int) -> RequestPattern { adding(Condition("port", "\(port)")) }

    /// Narrows the pattern to requests with a query item.
    ///
    /// Values are first decoded as in RFC 3986: `%20` is a space, and `+` is a plus sign. If a name
    /// repeats, one of its values must match.
    public func query(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("query.\(name)", pattern))
    }

    /// Narrows the pattern to requests with these query items and no others, in any order.
    ///
    /// Write the items as for a `URLRequest`: `nil` means no item, and an array means one item for
    /// each element. If a name repeats, the request must have each of its values.
    public func query(exactly query: QueryItems) -> RequestPattern {
        let expected = NamedValues("query", query.items)
        let label = expected.values.isEmpty ? "no query" : "exactly \(expected.text)"
        return adding(Condition(label: label, equals: expected) { $0.query })
    }

    /// Narrows the pattern to requests with a cookie.
    ///
    /// If a name repeats, one of its values must match.
    public func cookie(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("cookie.\(name)", pattern))
    }

    /// Narrows the pattern to requests with a header field, whose name is case-insensitive.
    public func header(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        if let problem = name.problemAsHeaderName {
            return RequestPattern(nodes, problem: self.problem ?? problem)
        }
        return adding(Condition("header.\(name.lowercased())", pattern))
    }

    /// Narrows the pattern to requests with Basic credentials (RFC 7617).
    ///
    /// Failures mask the user and the password of the request.
    public func basicAuthentication(
        user: ValuePattern, password: ValuePattern = .any
    ) -> RequestPattern {
        adding(Condition("authorization.user", user))
            .adding(Condition("authorization.password", password))
    }

    /// Narrows the pattern to requests whose body is UTF-8 text that matches a value pattern.
    public func body(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("body", pattern))
    }

    /// Narrows the pattern to requests with a form field.
    ///
    /// The content type of a form is `application/x-www-form-urlencoded`, with or without a charset.
    public func form(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("form.\(name)", pattern))
    }

    /// Narrows the pattern to requests with a part in their multipart body.
    ///
    /// The patterns are for the file name, the content type and the text of the part. `nil` accepts
    /// any.
    public func part(
        _ name: String, fileName: ValuePattern? = nil, contentType: ValuePattern? = nil,
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
        _ label: String, _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        adding(
            Condition(label: { label }, accepts: { test($0.request) }) { _, list in
                list.add("expected \(label)")
            })
    }
}

extension RequestPattern {
    /// Narrows the pattern to requests whose host is a value, or without one for `nil`.
    public func host(_ value: some QueryValue) -> RequestPattern { host(ValuePattern(value)) }

    /// Narrows the pattern to requests whose query has an item with a value.
    ///
    /// If the name repeats, one of its values must be equal. An array means one item for each
    /// element, in any order, and no other of that name. `nil` and an empty array mean no item.
    public func query(_ name: String, _ value: some QueryValue) -> RequestPattern {
        query(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose cookie has a value, or without it for `nil`.
    public func cookie(_ name: String, _ value: some QueryValue) -> RequestPattern {
        cookie(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose header field has a value, or without it for `nil`.
    public func header(_ name: String, _ value: some QueryValue) -> RequestPattern {
        header(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose form has a field with a value.
    ///
    /// It compares repeated names, arrays and `nil` as `query` does.
    public func form(_ name: String, _ value: some QueryValue) -> RequestPattern {
        form(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose body is a text in UTF-8.
    public func body(_ text: String) -> RequestPattern { body(ValuePattern(text)) }
}
