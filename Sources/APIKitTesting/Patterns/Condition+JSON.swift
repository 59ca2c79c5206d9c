import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the body, compared as JSON.
    init(json value: some Encodable, encoder: JSONEncoder, isPartial: Bool = false) {
        do {
            self.init(json: try HTTPBody.JSON(encoder.encode(value)), isPartial: isPartial)
        } catch {
            self.init(notEncodable: value, error)
        }
    }

    /// Creates a condition on the body, compared with a JSON text.
    init(jsonText text: String, isPartial: Bool = false) {
        do {
            self.init(json: try HTTPBody.JSON(text: text), isPartial: isPartial)
        } catch {
            self.init(problem: APIError.text(of: error))
        }
    }

    /// Creates a condition on the body, compared with a JSON value.
    ///
    /// - Parameters:
    ///   - expected: The value.
    ///   - isPartial: Whether objects may have further members.
    ///   - placeholders: The placeholders in the value.
    ///   - ignored: The names of members that do not matter.
    init(
        json expected: HTTPBody.JSON, isPartial: Bool = false,
        _ placeholders: PlaceholderSet = .none,
        ignoring ignored: Set<String> = []
    ) {
        let expected = expected.removing(ignored)
        let isOpen = expected.hasText { RecordedText($0, placeholders).isOpen }
        let comparison = JSONComparison(isPartial: isPartial, placeholders: placeholders)
        self.init(label: "body \(isPartial ? "containing " : "")\(expected.text)") { request in
            guard let got = request.jsonValue?.removing(ignored) else { return nil }
            if isOpen { return comparison.values(expected, got) }
            return (isPartial ? got.contains(expected) : got == expected) ? [:] : nil
        } addDifferences: { request, list in
            guard let got = request.jsonValue?.removing(ignored) else {
                return list.addDifference(
                    "body", expected: "JSON", got: request.shownBody ?? "none")
            }
            comparison.addDifferences(expected, got, to: &list)
        }
    }

    /// Creates a condition on the value at a path of a JSON body.
    init(at text: String, json value: some Encodable) {
        do {
            let expected = try HTTPBody.JSON(JSONEncoder().encode(value))
            self.init(at: text, expectation: { expected.text(named: $0) }) { $0 == expected }
        } catch {
            self.init(notEncodable: value, error)
        }
    }

    /// Creates a condition on the text of the value at a path of a JSON body.
    init(at text: String, _ pattern: ValuePattern) {
        self.init(
            at: text,
            expectation: { name in
                pattern.expectation(masked: name.map(Redaction.hidesValue(named:)) ?? false)
            },
            accepts: { pattern.accepts($0?.patternValues ?? []) })
    }

    /// Creates a condition on the value at a path, which is invalid if the path is invalid.
    ///
    /// - Parameters:
    ///   - text: The path.
    ///   - expectation: Returns the expected value in words, masked if its name means a secret.
    ///   - accepts: Returns whether a value matches. A missing value is `nil`.
    private init(
        at text: String,
        expectation: (_ name: String?) -> String,
        accepts: @escaping @Sendable (HTTPBody.JSON?) -> Bool
    ) {
        guard let path = JSONPath(text) else {
            self.init(
                problem: """
                    "\(text)" is not a path to a JSON value. Write one such as user.addresses[0].city, \
                    and a name with other characters than letters as in user["first.name"]
                    """)
            return
        }
        let (subject, expected) = ("JSON \(path)", expectation(path.name))
        self.init(label: "\(subject): \(expected)") { request in
            request.jsonValue.map { accepts(path.value(in: $0)) } ?? false
        } addDifferences: { request, list in
            guard let body = request.jsonValue else {
                return list.addDifference(
                    subject, expected: "a JSON body", got: request.shownBody ?? "none")
            }
            let got = path.value(in: body)?.text(named: path.name)
            list.addDifference(subject, expected: expected, got: got ?? "nothing")
        }
    }

    /// Creates the invalid condition on a value that JSON cannot represent.
    private init(notEncodable value: some Encodable, _ error: any Error) {
        let reason = APIError.text(of: error)
        self.init(problem: "a \(type(of: value)) cannot be encoded as JSON: \(reason)")
    }
}

extension HTTPBody.JSON {
    /// The texts that a value pattern compares: the scalar, or each element of an array.
    fileprivate var patternValues: [String] {
        switch self {
        case .string(let value): [value]
        case .array(let elements) where !elements.isEmpty: elements.flatMap(\.patternValues)
        default: [text]
        }
    }

    /// Returns whether the value equals another value, apart from further members of objects.
    fileprivate func contains(_ other: Self) -> Bool {
        switch (self, other) {
        case (.object(let members), .object(let others)):
            others.allSatisfy { name, other in members[name]?.contains(other) ?? false }
        case (.array(let elements), .array(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy { $0.contains($1) }
        default: self == other
        }
    }

    /// Returns the value without the members with these names, at any depth.
    func removing(_ names: Set<String>) -> Self {
        guard !names.isEmpty else { return self }
        return switch self {
        case .object(let members):
            .object(members.filter { !names.contains($0.key) }.mapValues { $0.removing(names) })
        case .array(let elements): .array(elements.map { $0.removing(names) })
        default: self
        }
    }

    /// Returns whether a text or a number, or the name of a member, meets a condition.
    func hasText(_ condition: (String) -> Bool) -> Bool {
        switch self {
        case .object(let members): members.contains { condition($0) || $1.hasText(condition) }
        case .array(let elements): elements.contains { $0.hasText(condition) }
        default: scalarText.map(condition) ?? false
        }
    }

    /// The text of a string or a number.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let value): value
        case .number(let value): "\(value)"
        case .extremeNumber(let value): "\(value)"
        default: nil
        }
    }
}

/// A comparison of two JSON values.
private struct JSONComparison: Sendable {
    /// Whether an object may have unexpected members.
    let isPartial: Bool
    let placeholders: PlaceholderSet

    /// The place of the compared values, and the differences so far.
    private struct Progress {
        var path = JSONPath()
        var values: [String: String] = [:]
        var list = LimitedList()
    }

    /// Returns the values of the placeholders, or `nil` if there is a difference.
    func values(_ expected: HTTPBody.JSON, _ got: HTTPBody.JSON) -> [String: String]? {
        var progress = Progress(list: LimitedList(showing: 0))
        compare(expected, got, &progress)
        return progress.list.count == 0 ? progress.values : nil
    }

    /// Adds a line for each unexpected, missing or different value.
    func addDifferences(
        _ expected: HTTPBody.JSON, _ got: HTTPBody.JSON, to list: inout LimitedList
    ) {
        var progress = Progress(list: list)
        compare(expected, got, &progress)
        list = progress.list
    }

    private func compare(
        _ expected: HTTPBody.JSON?, _ got: HTTPBody.JSON?, _ progress: inout Progress
    ) {
        switch (expected, got) {
        case (.object(let expected)?, .object(var got)?):
            for (key, other) in renamed(expected, got, &progress.values) {
                got[key] = got.removeValue(forKey: other)
            }
            let keys = isPartial ? Set(expected.keys) : Set(expected.keys).union(got.keys)
            for key in keys.sorted() {
                progress.path.steps.append(.name(key))
                compare(expected[key], got[key], &progress)
                progress.path.steps.removeLast()
            }
        case (.array(let expected)?, .array(let got)?):
            for index in 0..<max(expected.count, got.count) {
                progress.path.steps.append(.index(index))
                compare(expected.dropFirst(index).first, got.dropFirst(index).first, &progress)
                progress.path.steps.removeLast()
            }
        case _
        where expected == got
            || placeholders.match(expected?.scalarText, got?.scalarText, &progress.values):
            break
        default:
            addLine(expected, got, &progress)
        }
    }

    /// Returns the names with placeholders, each with its matching name in the other object.
    private func renamed(
        _ expected: [String: HTTPBody.JSON], _ got: [String: HTTPBody.JSON],
        _ values: inout [String: String]
    ) -> [(String, String)] {
        var others = Set(got.keys).subtracting(expected.keys)
        guard !others.isEmpty else { return [] }
        return expected.keys.filter { got[$0] == nil }.sorted().compactMap { key in
            let text = RecordedText(key, placeholders)
            guard text.isOpen, let other = others.sorted().first(where: text.accepts),
                text.addValues(in: other, to: &values)
            else { return nil }
            others.remove(other)
            return (key, other)
        }
    }

    private func addLine(
        _ expected: HTTPBody.JSON?, _ got: HTTPBody.JSON?, _ progress: inout Progress
    ) {
        let (place, name) = ("\(progress.path)", progress.path.name)
        progress.list.addDifference(
            place.isEmpty ? "body" : "body: \(place)",
            expected: expected?.text(named: name) ?? "nothing",
            got: got?.text(named: name) ?? "nothing",
            ignoring: name.flatMap {
                Volatility.ignoring(expected?.scalarText ?? "", got?.scalarText ?? "", ".body", $0)
            })
    }
}
