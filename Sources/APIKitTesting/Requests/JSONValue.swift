import APIKit
import Foundation

/// The value of a JSON text.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Decimal)
    /// A number outside the range of `Decimal`.
    case extremeNumber(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder does not reveal the type of a value, so try one type after another.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .extremeNumber(value)
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
    /// The value on one line, with sorted keys and masked secrets.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .extremeNumber(let value): "\(value)"
        case .string(let value): "\"\(Redaction.secrets.text(ofValue: value))\""
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { "\"\($0)\":\($1.text(named: $0))" }
                .joined(separator: ",") + "}"
        }
    }

    /// The value as the member of an object, masked if the name is that of a secret.
    func text(named name: String?) -> String {
        guard let name, Redaction.hidesValue(named: name), self != .null else { return text }
        return "\"\(Redaction.mask)\""
    }
}
