import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to requests whose host matches a value pattern.
    ///
    /// Both hosts are compared in lower case and in ASCII: `Bücher.example` and
    /// `xn--bcher-kva.example` are the same host. A regular expression and a closure receive the
    /// second form. In a prefix, a suffix or a part of the host, write labels with other characters
    /// than ASCII whole, as in `.suffix(".bücher.example")`.
    public func host(_ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition("host", pattern.mapTexts(Punycode.host)) { $0.url.host.map(Punycode.host) })
    }

    /// Narrows the pattern to requests whose scheme, in lower case, matches a value pattern.
    public func scheme(_ pattern: ValuePattern) -> RequestPattern {
        adding(Condition("scheme", pattern) { $0.url.scheme?.lowercased() })
    }

    /// Narrows the pattern to a port; a URL without a port has the default port of its scheme.
    public func port(_ port: Int) -> RequestPattern {
        adding(
            Condition("port", "\(port)") { request in
                let standard = ["http": 80, "https": 443][request.url.scheme?.lowercased() ?? ""]
                return (request.url.port ?? standard).map(String.init)
            })
    }

    /// Narrows the pattern to requests with a query item.
    ///
    /// Values are decoded by RFC 3986 first: `%20` is a space, and `+` is a plus sign. If a name
    /// repeats, one of its values must match.
    public func query(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "query \(name)", pattern, isSecret: Redaction.hidesItem(named: name),
                values: { request in
                    request.queryItems.compactMap { $0.name == name ? $0.value ?? "" : nil }
                }))
    }

    /// Narrows the pattern to requests with these query items and no others, in any order.
    ///
    /// The values are of the types that a `URLRequest` takes: `nil` is no item, and an array is an item
    /// for each element. If a name repeats, the request must have each of its values.
    public func query(exactly query: QueryItems) -> RequestPattern {
        adding(Condition(queryExactly: query.items))
    }

    /// Narrows the pattern to requests with a cookie.
    public func cookie(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "cookie \(name)", pattern, isSecret: true,
                values: { request in request.cookies[name].map { [$0] } ?? [] }))
    }

    /// Narrows the pattern to requests with a header field, whose name is case-insensitive.
    public func header(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            name.problemAsHeaderName.map(Condition.init(problem:))
                ?? Condition(
                    "header \(name)", pattern, isSecret: Redaction.hidesHeader(name),
                    values: { request in request.header(name).map { [$0] } ?? [] }))
    }

    /// Narrows the pattern to requests whose body equals these bytes.
    public func body(_ data: Data) -> RequestPattern {
        adding(
            Condition(label: "body of \(data.count) bytes") {
                $0.body == data
            } differences: { request in
                let index = data.firstDifference(from: request.body)
                return [
                    "body: expected \(data.count) bytes, got \(request.body.count), "
                        + "which differ from index \(index) on"
                ]
            })
    }

    /// Narrows the pattern to requests whose body is UTF-8 text that matches a value pattern.
    public func body(_ pattern: ValuePattern) -> RequestPattern {
        let expected = pattern.expectation(masked: false)
        return adding(
            Condition(label: "body: \(expected)") { request in
                pattern.accepts(request.text)
            } differences: { request in
                ["body: expected \(expected), got \(request.shownBody ?? "none")"]
            })
    }

    /// Narrows the pattern to requests with a form field.
    ///
    /// The content type of a form is `application/x-www-form-urlencoded`, with or without a charset.
    public func form(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Condition(
                "form field \(name)", pattern, isSecret: Redaction.hidesItem(named: name),
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
        adding(Condition(label: label, accepts: test) { _ in ["expected \(label)"] })
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

extension Data {
    /// Returns the number of equal bytes before the first difference.
    fileprivate func firstDifference(from other: Data) -> Int {
        // A bisection, because a loop over all bytes is slow without optimization.
        var (equal, different) = (0, Swift.min(count, other.count) + 1)
        while different - equal > 1 {
            let middle = (equal + different) / 2
            if prefix(middle) == other.prefix(middle) { equal = middle } else { different = middle }
        }
        return equal
    }
}
