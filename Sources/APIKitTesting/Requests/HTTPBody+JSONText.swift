import APIKit
import Foundation

extension HTTPBody.JSON {
    /// The value on one line, with sorted keys and masked secrets, and at most 200 characters.
    var text: String { text(named: nil) }

    /// Returns the value on one line, masked if the name is that of a secret.
    ///
    /// - Parameters:
    ///   - name: The name of the value as the member of an object.
    ///   - limit: The maximum number of characters.
    /// - Returns: The text.
    func text(named name: String?, limit: Int = 200) -> String {
        var text = ""
        // A character of more than four bytes counts as several.
        write(to: &text, named: name, maxSize: 4 * limit + 4)
        return text.shortened(to: limit)
    }

    /// Appends the value, or a part of it that reaches a size in bytes.
    private func write(to text: inout String, named name: String?, maxSize: Int) {
        if let name, Redaction.hidesValue(named: name), self != .null {
            text += "\"\(Redaction.mask)\""
            return
        }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += "\(value)"
        case .number(let value): text += "\(value)"
        case .extremeNumber(let value): text += "\(value)"
        case .string(let value):
            text += "\"\(Redaction.secrets.text(ofValue: value.start))\""
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                guard text.utf8.count < maxSize else { return }
                text += index > 0 ? "," : ""
                value.write(to: &text, named: nil, maxSize: maxSize)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                guard text.utf8.count < maxSize else { return }
                text += "\(index > 0 ? "," : "")\"\(member.key)\":"
                member.value.write(to: &text, named: member.key, maxSize: maxSize)
            }
            text += "}"
        }
    }
}

extension String {
    /// The first 64 Ki characters of the text, because masking a large text takes long.
    var start: String { String(unicodeScalars.prefix(1 << 16)) }
}
