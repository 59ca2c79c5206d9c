import APIKit
import Foundation

/// A JSON text by its meaning.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder can only be asked for one type after another; each refusal but the last is the
        // answer to a question and not an error.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    init(_ data: Data) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: data)
    }
}

extension JSONValue {
    /// The value on one line, with sorted keys and without secrets.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { "\"\($0)\":\($1.text(named: $0))" }
                .joined(separator: ",") + "}"
        }
    }

    fileprivate func text(named name: String?) -> String {
        guard let name, Redaction.hidesValue(named: name), self != .null else { return text }
        return "\"\(Redaction.mask)\""
    }

    /// Returns a line for each place in which a value differs from this one.
    func differences(from other: JSONValue, at path: String = "", named: String? = nil) -> [String]
    {
        switch (self, other) {
        case (.object(let expected), .object(let got)):
            return Set(expected.keys).union(got.keys).sorted().flatMap { key in
                let place = path.isEmpty ? key : "\(path).\(key)"
                return JSONValue.differences(expected[key], got[key], at: place, named: key)
            }
        case (.array(let expected), .array(let got)):
            return (0..<max(expected.count, got.count)).flatMap { index in
                JSONValue.differences(
                    expected.indices.contains(index) ? expected[index] : nil,
                    got.indices.contains(index) ? got[index] : nil,
                    at: "\(path)[\(index)]", named: named)
            }
        default:
            return JSONValue.differences(self, other, at: path, named: named)
        }
    }

    private static func differences(
        _ expected: JSONValue?, _ got: JSONValue?, at path: String, named name: String?
    ) -> [String] {
        if expected == got { return [] }
        if let expected, let got, expected.isContainer, expected.isSameKind(as: got) {
            return expected.differences(from: got, at: path, named: name)
        }
        let place = path.isEmpty ? "" : "\(path): "
        let expectedText = expected?.text(named: name) ?? "nothing"
        let gotText = got?.text(named: name) ?? "nothing"
        let other = expectedText == gotText ? " of another value" : ""
        return ["body: \(place)expected \(expectedText), got \(gotText)\(other)"]
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private func isSameKind(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array, .array), (.object, .object): true
        default: false
        }
    }
}

extension Rule {
    /// A condition on the whole body, compared as JSON.
    init(json value: some Encodable & Sendable, encoder: JSONEncoder) {
        let expected = Result { try JSONValue(encoder.encode(value)) }
        switch expected {
        case .success(let expected):
            self.init(label: "body \(expected.text)") { request in
                request.jsonValue == expected
            } differences: { request in
                guard let got = request.jsonValue else {
                    return ["body: expected JSON, got \(request.shownBody ?? "none")"]
                }
                return expected.differences(from: got)
            }
        case .failure(let error):
            self.init(label: "body of a \(type(of: value)) that cannot be encoded") { _ in
                false
            } differences: { _ in
                ["body: the expected value cannot be encoded: \(error)"]
            }
        }
    }
}
