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

    private init(json expected: HTTPBody.JSON, isPartial: Bool) {
        let comparison = JSONComparison(isPartial: isPartial)
        self.init(label: "body \(isPartial ? "containing " : "")\(expected.text)") { request in
            guard let got = request.jsonValue else { return false }
            return isPartial ? comparison.differences(expected, got).isEmpty : got == expected
        } differences: { request in
            guard let got = request.jsonValue else {
                return ["body: expected JSON, got \(request.shownBody ?? "none")"]
            }
            return comparison.differences(expected, got)
        }
    }
}

/// A comparison of two JSON values.
private struct JSONComparison: Sendable {
    /// Whether an object may have unexpected members.
    let isPartial: Bool

    /// Returns a line for each unexpected, missing or different value.
    func differences(
        _ expected: HTTPBody.JSON?, _ got: HTTPBody.JSON?, at path: String = "",
        named name: String? = nil
    ) -> [String] {
        switch (expected, got) {
        case (.object(let expected)?, .object(let got)?):
            let keys = isPartial ? Set(expected.keys) : Set(expected.keys).union(got.keys)
            return keys.sorted().flatMap { key in
                let place = path.isEmpty ? key : "\(path).\(key)"
                return differences(expected[key], got[key], at: place, named: key)
            }
        case (.array(let expected)?, .array(let got)?):
            return (0..<max(expected.count, got.count)).flatMap { index in
                differences(
                    expected.dropFirst(index).first, got.dropFirst(index).first,
                    at: "\(path)[\(index)]", named: name)
            }
        case _ where expected == got:
            return []
        default:
            let expectedText = expected?.text(named: name) ?? "nothing"
            let gotText = got?.text(named: name) ?? "nothing"
            let other = expectedText == gotText ? " (a different value)" : ""
            let place = path.isEmpty ? "" : "\(path): "
            return ["body: \(place)expected \(expectedText), got \(gotText)\(other)"]
        }
    }
}
