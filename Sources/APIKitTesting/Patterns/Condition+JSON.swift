import APIKit
import Foundation

extension Condition {
    /// Creates a condition on the body, compared as JSON.
    init(json value: some Encodable, encoder: JSONEncoder, isPartial: Bool = false) {
        do {
            self.init(json: try HTTPBody.JSON(encoder.encode(value)), isPartial: isPartial)
        } catch {
            let reason = APIError.text(of: error)
            self.init(problem: "a \(type(of: value)) cannot be encoded as JSON: \(reason)")
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
    init(json expected: HTTPBody.JSON, isPartial: Bool = false) {
        let comparison = JSONComparison(isPartial: isPartial)
        self.init(label: "body \(isPartial ? "containing " : "")\(expected.text)") { request in
            guard let got = request.jsonValue else { return false }
            return isPartial ? got.contains(expected) : got == expected
        } addDifferences: { request, list in
            guard let got = request.jsonValue else {
                list.add("body: expected JSON, got \(request.shownBody ?? "none")")
                return
            }
            comparison.addDifferences(expected, got, to: &list)
        }
    }
}

extension HTTPBody.JSON {
    /// Whether the value equals another one, except for further members of objects.
    fileprivate func contains(_ other: Self) -> Bool {
        switch (self, other) {
        case (.object(let members), .object(let others)):
            others.allSatisfy { name, other in members[name]?.contains(other) ?? false }
        case (.array(let elements), .array(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy { $0.contains($1) }
        default: self == other
        }
    }
}

/// A comparison of two JSON values.
private struct JSONComparison: Sendable {
    /// Whether an object may have unexpected members.
    let isPartial: Bool

    private enum Step {
        case key(String)
        case index(Int)
    }

    /// Adds a line for each unexpected, missing or different value.
    func addDifferences(
        _ expected: HTTPBody.JSON, _ got: HTTPBody.JSON, to list: inout LimitedList
    ) {
        var path: [Step] = []
        addDifferences(expected, got, at: &path, named: nil, to: &list)
    }

    private func addDifferences(
        _ expected: HTTPBody.JSON?, _ got: HTTPBody.JSON?, at path: inout [Step],
        named name: String?, to list: inout LimitedList
    ) {
        switch (expected, got) {
        case (.object(let expected)?, .object(let got)?):
            let keys = isPartial ? Set(expected.keys) : Set(expected.keys).union(got.keys)
            for key in keys.sorted() {
                path.append(.key(key))
                addDifferences(expected[key], got[key], at: &path, named: key, to: &list)
                path.removeLast()
            }
        case (.array(let expected)?, .array(let got)?):
            for index in 0..<max(expected.count, got.count) {
                path.append(.index(index))
                addDifferences(
                    expected.dropFirst(index).first, got.dropFirst(index).first, at: &path,
                    named: name, to: &list)
                path.removeLast()
            }
        case _ where expected == got:
            break
        default:
            list.add(line(expected, got, at: path, named: name))
        }
    }

    private func line(
        _ expected: HTTPBody.JSON?, _ got: HTTPBody.JSON?, at path: [Step], named name: String?
    ) -> String {
        let expectedText = expected?.text(named: name) ?? "nothing"
        let gotText = got?.text(named: name) ?? "nothing"
        let other = expectedText == gotText ? " (a different value)" : ""
        let place = path.reduce(into: "") { place, step in
            switch step {
            case .key(let key): place += place.isEmpty ? key : ".\(key)"
            case .index(let index): place += "[\(index)]"
            }
        }
        let label = place.isEmpty ? "" : "\(place): "
        return "body: \(label)expected \(expectedText), got \(gotText)\(other)"
    }
}
