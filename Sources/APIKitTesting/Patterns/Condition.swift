import APIKit
import Foundation

/// A request while patterns compare it, with the values that they have asked for.
final class ComparedRequest {
    let request: RecordedRequest
    /// The patterns of the test in words, whose texts a failure shows.
    private(set) lazy var written = makeWritten()
    private let makeWritten: () -> String
    private(set) lazy var query = NamedValues("query", queryItems)
    private(set) lazy var queryItems = request.queryItems
    private lazy var form = request.form
    private(set) lazy var body = NamedValues(bodyOf: request)
    /// The parts of a multipart body.
    private(set) lazy var parts = request.parts.map { NamedValues($0) }
    /// The body as JSON with any content type, or `nil` for a body that is not JSON.
    private(set) lazy var json = NamedValues(json: request.body)
    private var known: [ExactText: [NamedValues.Value]?] = [:]

    init(_ request: RecordedRequest, written: @autoclosure @escaping () -> String = "") {
        (self.request, makeWritten) = (request, written)
    }

    /// Returns the values with a name, or `nil` for a value of a body that is not JSON.
    func values(named name: ExactText) -> [NamedValues.Value]? {
        if let values = known[name] { return values }
        let (section, rest) = name.string.split(at: ".")
        func one(_ text: String?) -> [NamedValues.Value] {
            text.map { [.text(ExactText($0))] } ?? []
        }
        func named(_ items: [URLQueryItem]) -> [NamedValues.Value] {
            items.lazy.filter { $0.name.utf8.elementsEqual(rest.utf8) }
                .map { .text(ExactText($0.value ?? "")) }.sorted { $0.text < $1.text }
        }
        let url = request.url
        let values =
            switch section {
            case "host": one(url.host?.plainHost)
            case "port": one((url.port ?? url.defaultPort).map(String.init))
            case "query": named(queryItems)
            case "header": one(request.header(String(rest)))
            case "cookie": named(request.cookieItems)
            case "authorization":
                one(request.basicCredentials.map { rest == "user" ? $0.user : $0.password })
            case "body": [NamedValues.Value(request.body)]
            case "form": named(form)
            default: json?.elements(at: name.string)
            }
        known[name] = .some(values)
        return values
    }

    /// The reason why a body has no form fields.
    fileprivate var remarkOnForm: String {
        guard !request.body.isEmpty, form.isEmpty else { return "" }
        let type = request.header("Content-Type").map { "is \($0)" } ?? "has no content type"
        return " (the body \(type), so it is not a form)"
    }
}

/// One condition on a request, which can describe a mismatch.
struct Condition: Sendable {
    /// A mistake in a pattern.
    struct Mistake: Error {
        let text: String
    }

    /// Returns the condition in the description of a pattern.
    let label: @Sendable () -> String
    /// The names of the compared values, if they are known.
    var names: Set<ExactText> = []
    let accepts: @Sendable (ComparedRequest) -> Bool
    /// Adds the differences of a request that does not meet the condition, one line each.
    let addDifferences: @Sendable (ComparedRequest, inout LimitedList) -> Void
}

extension Condition {
    /// Creates a condition on the values with a name.
    init(_ name: String, _ pattern: ValuePattern) {
        let name = ExactText(name)
        self.init(label: { "\(name.string): \(pattern.expectation)" }, names: [name]) { request in
            request.values(named: name).map(pattern.accepts) ?? false
        } addDifferences: { request, list in
            guard let got = request.values(named: name) else {
                return list.addMissingJSON(of: request)
            }
            list.addDifference(
                name.string, expected: pattern.expectation,
                got: NamedValues.clause(
                    for: got, as: NamedValues.kind(of: name.string), besides: request),
                remark: got.isEmpty && name.isBelow("form") ? request.remarkOnForm : "")
        }
    }

    /// Creates a condition on names and values, which are `nil` if the body is not JSON.
    ///
    /// The remark ends each line.
    init(
        label: @autoclosure @escaping @Sendable () -> String, equals expected: NamedValues,
        remark: String = "", of values: @escaping @Sendable (ComparedRequest) -> NamedValues?
    ) {
        self.init(label: label, names: Set(expected.values.keys)) {
            values($0) == expected
        } addDifferences: { request, list in
            guard let got = values(request) else { return list.addMissingJSON(of: request) }
            list.addDifferences(
                expected: expected, got: got, besides: request, remark: remark)
        }
    }

    /// Creates a condition on the value with a name in a JSON body, compared with a JSON text, in
    /// which objects may have further members if it is partial.
    init(_ name: String = "json", json text: Data, isPartial: Bool = false) throws(Mistake) {
        guard let expected = NamedValues(json: text, at: name) else {
            throw Mistake(
                text: JSONValue.mistake(in: text) ?? "the names of the JSON text are too long")
        }
        let start = "\(name): \(isPartial ? "a value containing " : "")"
        self.init(
            label: start + expected.clause(for: ExactText(name), besides: nil), equals: expected
        ) { request in
            // A filter makes each of the names again.
            guard isPartial || name != "json" else { return request.json }
            return request.json?.filter {
                isPartial ? expected.values[$0] != nil : $0 == ExactText(name) || $0.isBelow(name)
            }
        }
    }

    /// Returns a value as JSON text.
    static func json(
        _ value: some Encodable, _ encoder: JSONEncoder = JSONEncoder()
    ) throws(Mistake) -> Data {
        do {
            return try encoder.json(of: value)
        } catch {
            throw Mistake(text: APIError.clause(for: error))
        }
    }

    /// Creates a condition on a part of a multipart body.
    init(
        part name: String, fileName: ValuePattern?, contentType: ValuePattern?, body: ValuePattern?
    ) {
        let checks = [("filename", fileName), ("type", contentType), ("body", body)]
            .compactMap { property, pattern in
                pattern.map { (property, name: ExactText("part.\(name).\(property)"), pattern: $0) }
            }
        let details = checks.map { ", \($0) \($2.expectation)" }
        @Sendable func parts(of request: ComparedRequest) -> [NamedValues] {
            request.parts.filter { $0.values[ExactText("part.\(name).body")] != nil }
        }
        self.init(label: { "part.\(name)\(details.joined())" }) { request in
            parts(of: request).contains { part in
                checks.allSatisfy { $0.pattern.accepts(part.values[$0.name] ?? []) }
            }
        } addDifferences: { request, list in
            let parts = parts(of: request)
            guard !parts.isEmpty else {
                let names = request.request.parts.map(\.name).joined(separator: ", ")
                return list.addDifference(
                    "part.\(name)", expected: "a part",
                    got: names.isEmpty ? request.request.shownBody ?? "no body" : names)
            }
            let failing = checks.filter { check in
                !parts.contains { check.pattern.accepts($0.values[check.name] ?? []) }
            }
            // Each check can hold for another part.
            for (_, name, pattern) in failing.isEmpty ? checks : failing {
                list.addDifference(
                    name.string, expected: pattern.expectation,
                    got: NamedValues.clause(
                        for: parts.flatMap { $0.values[name] ?? [] },
                        as: NamedValues.kind(of: name.string), besides: request))
            }
        }
    }
}

extension LimitedList {
    fileprivate mutating func addMissingJSON(of request: ComparedRequest) {
        addDifference("body", expected: "JSON", got: request.request.shownBody ?? "nothing")
    }
}
