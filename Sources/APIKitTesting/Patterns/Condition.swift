import APIKit
import Foundation

/// A request while patterns compare it, with the values that they have asked for.
final class ComparedRequest {
    let request: RecordedRequest
    /// The patterns of the test in words, whose texts a failure shows.
    let written: String
    private(set) lazy var query = RequestForm("query", request.queryItems)
    private(set) lazy var body = RequestForm(bodyOf: request)
    /// The body as JSON with any content type, or `nil` for a body that is not JSON.
    private(set) lazy var json = RequestForm(json: request.body)
    private var known: [ExactText: [RequestForm.Value]?] = [:]

    init(_ request: RecordedRequest, written: String = "") {
        (self.request, self.written) = (request, written)
    }

    /// Returns the values with a name, or `nil` for a value of a body that is not JSON.
    func values(named name: ExactText) -> [RequestForm.Value]? {
        if let values = known[name] { return values }
        let (section, rest) = name.string.split(at: ".")
        func one(_ text: String?) -> [RequestForm.Value] {
            text.map { [.text(ExactText($0))] } ?? []
        }
        let url = request.url
        let values =
            switch section {
            case "host": one(url.host?.asciiHost)
            case "scheme": one(url.scheme?.lowercased())
            case "port": one((url.port ?? url.defaultPort).map(String.init))
            case "query": query.values[name] ?? []
            case "header": one(request.header(String(rest)))
            case "cookie": RequestForm("cookie", request.cookieItems).values[name] ?? []
            case "authorization":
                one(request.basicCredentials.map { rest == "user" ? $0.user : $0.password })
            case "body": [RequestForm.Value(request.body)]
            case "form", "part": body.values[name] ?? []
            default: json?.elements(at: name.string)
            }
        known[name] = .some(values)
        return values
    }

    /// The reason why the body has no form fields, if it is of another kind.
    fileprivate var remarkOnForm: String {
        if [RequestForm.form, RequestForm.noBody].contains(body.bodyKind) { return "" }
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
    let accepts: @Sendable (ComparedRequest) -> Bool
    /// Adds the differences of a request that does not meet the condition, one line each.
    let addDifferences: @Sendable (ComparedRequest, inout LimitedList) -> Void
    /// The names of the compared values, if they are known.
    private(set) var names: Set<ExactText> = []

    init(
        label: @autoclosure @escaping @Sendable () -> String,
        accepts: @escaping @Sendable (ComparedRequest) -> Bool,
        addDifferences: @escaping @Sendable (ComparedRequest, inout LimitedList) -> Void
    ) {
        (self.label, self.accepts, self.addDifferences) = (label, accepts, addDifferences)
    }

    /// Creates a condition on the values with a name.
    init(_ name: String, _ pattern: ValuePattern) {
        let name = ExactText(name)
        self.init(label: "\(name.string): \(pattern.expectation)") { request in
            request.values(named: name).map(pattern.accepts) ?? false
        } addDifferences: { request, list in
            guard let got = request.values(named: name) else {
                return list.addMissingJSON(of: request)
            }
            list.addDifference(
                name.string, expected: pattern.expectation,
                got: RequestForm.text(of: got, named: name.string, besides: request.written),
                remark: got.isEmpty && name.isBelow("form") ? request.remarkOnForm : "")
        }
        names = [name]
    }

    /// Creates a condition on a form, which is `nil` if the body is not JSON.
    ///
    /// The remark ends the line about another kind of body.
    init(
        label: @autoclosure @escaping @Sendable () -> String, equals expected: RequestForm,
        remark: String = "", of form: @escaping @Sendable (ComparedRequest) -> RequestForm?
    ) {
        self.init(label: label()) {
            form($0) == expected
        } addDifferences: { request, list in
            guard let got = form(request) else { return list.addMissingJSON(of: request) }
            list.addDifferences(
                expected: expected, got: got, besides: request.written, remark: remark)
        }
    }

    /// Creates a condition on all items of the query, in any order.
    init(queryExactly items: [URLQueryItem]) {
        let query = RequestForm("query", items)
        self.init(label: items.isEmpty ? "no query" : "exactly \(query.text())", equals: query) {
            $0.query
        }
        names = Set(query.values.keys)
    }
}

extension LimitedList {
    fileprivate mutating func addMissingJSON(of request: ComparedRequest) {
        addDifference("body", expected: "JSON", got: request.request.shownBody ?? "nothing")
    }
}
