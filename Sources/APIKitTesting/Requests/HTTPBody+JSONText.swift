import APIKit
import Foundation

extension HTTPBody.JSON {
    /// The value on one line, with sorted keys and masked secrets, and at most 200 characters.
    var text: String { text(named: nil) }

    /// Returns the value on one line, masked if its name marks a secret.
    ///
    /// - Parameters:
    ///   - name: The name of the value as the member of an object.
    ///   - limit: The maximum number of characters.
    /// - Returns: The text.
    func text(named name: String?, limit: Int = 200) -> String {
        var text = ""
        // A scalar has at most four bytes in UTF-8.
        write(to: &text, maxSize: 4 * limit + 4)
        let start = name.map { "{\"\($0)\":" } ?? ""
        return String(Redaction.secrets.text(ofValue: start + text).dropFirst(start.count))
            .shortened(to: limit)
    }

    /// Appends the value, and stops once the text reaches a size in bytes.
    private func write(to text: inout String, maxSize: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += "\(value)"
        case .number(let value): text += "\(value)"
        case .extremeNumber(let value): text += "\(value)"
        case .string(let value):
            text += "\"\(value.start)\""
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                guard text.utf8.count < maxSize else { return }
                text += index > 0 ? "," : ""
                value.write(to: &text, maxSize: maxSize)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                guard text.utf8.count < maxSize else { return }
                text += "\(index > 0 ? "," : "")\"\(member.key)\":"
                member.value.write(to: &text, maxSize: maxSize)
            }
            text += "}"
        }
    }
}

extension String {
    /// The first 65,536 Unicode scalars of the text, because masking more takes too long.
    var start: String { String(unicodeScalars.prefix(1 << 16)) }
}
