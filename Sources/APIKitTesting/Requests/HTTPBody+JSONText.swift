import APIKit
import Foundation

extension HTTPBody.JSON {
    init(_ data: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: data)
    }

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
