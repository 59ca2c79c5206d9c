import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to a host, in lower case.
    public func host(_ pattern: ValuePattern) -> RequestPattern {
        adding(Rule("host", pattern) { $0.url.host?.lowercased() })
    }

    /// Narrows the pattern to a scheme, in lower case.
    public func scheme(_ pattern: ValuePattern) -> RequestPattern {
        adding(Rule("scheme", pattern) { $0.url.scheme?.lowercased() })
    }

    /// Narrows the pattern to a port, be it in the URL or that of the scheme.
    public func port(_ port: Int) -> RequestPattern {
        adding(
            Rule("port", "\(port)") { request in
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
            Rule(
                "query \(name)", pattern, isSecret: Redaction.hidesValue(named: name),
                values: { request in
                    request.queryItems.filter { $0.name == name }.map { $0.value ?? "" }
                }))
    }

    /// Narrows the pattern to requests with a header, whatever the case of its name.
    public func header(_ name: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(
            Rule(
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
        adding(Rule(json: value, encoder: encoder))
    }

    /// Narrows the pattern to requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: What is asked for, as a failure would say it: "an even id".
    ///   - test: Tells whether a request is that.
    /// - Returns: The pattern.
    public func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        adding(Rule(label: label, accepts: test) { _ in ["expected \(label)"] })
    }

    /// Requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: What is asked for, as a failure would say it: "an even id".
    ///   - test: Tells whether a request is that.
    /// - Returns: The pattern.
    public static func `where`(
        _ label: String,
        _ test: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestPattern {
        any.where(label, test)
    }
}
