import Foundation

/// A value of JSON, with the name of its member or of the array that contains it.
private struct Place {
    var name = ""
    var secrecy = Secrecy.none
    /// Whether its texts may be messages: in an array, or in an object such as `errors`.
    var hasMessages = false
    /// Whether its members are header fields.
    var hasFields = false
    /// In `{"name": "token", "value": "x"}`, the text `token`.
    var label: String?
}

extension Replacer {
    /// Replaces the secrets in JSON, which can be cut, or in several texts in sequence.
    func json(_ bytes: [UInt8]) -> [UInt8]? {
        var (result, tokens) = (ReplacedText(bytes), JSONTokens(bytes[...]))
        var (open, member) = ([Place()], nil as Place?)
        while let token = tokens.next() {
            let place = member ?? open[open.count - 1]
            switch token {
            case .name(let range):
                // A name can be a secret that is known by itself.
                let new = range.count < 16 ? nil : plainText(Array(bytes[range]))
                if let new { result.replace(range, with: new) }
                let name = bytes[range].jsonUnescaped.text
                if Self.values.contains(name), open[open.count - 1].label == nil {
                    open[open.count - 1].label = label(after: tokens, in: bytes)
                }
                member = self.member(name, of: open[open.count - 1])
                continue
            case .string(let range):
                if let new = string(bytes[range], at: place) {
                    result.replace(range, with: new)
                } else if let member, Self.labels.contains(member.name) {
                    open[open.count - 1].label = bytes[range].text
                }
            case .literal(let range):
                if let new = number(bytes[range], at: place) { result.replace(range, with: new) }
            case .open(let isArray):
                let name = place.name.lowercased()
                let hasMessages =
                    isArray || place.hasMessages || Self.errors.contains(where: name.contains)
                // An array of credentials has nothing else that names them.
                let isCertain =
                    isArray && place.secrecy == .possible && name.hasSuffix("credentials")
                let secrecy = isCertain ? .certain : place.secrecy
                open.append(
                    Place(
                        name: place.name, secrecy: secrecy, hasMessages: hasMessages,
                        hasFields: place.hasFields || name.hasSuffix("headers")))
            case .close:
                if open.count > 1 { open.removeLast() }
            case .other: continue
            }
            member = nil
        }
        return result.bytes
    }

    private func member(_ name: String, of object: Place) -> Place {
        let name = Self.values.contains(name) ? object.label ?? object.name : name
        let own =
            object.hasFields
            ? redaction.secrecy(of: name, isHeader: true) : secrecy(of: name)
        return Place(
            name: name, secrecy: object.secrecy == .added ? .added : own,
            hasMessages: object.hasMessages, hasFields: object.hasFields)
    }

    /// Returns the label of an object whose value comes first, if the object is small.
    private func label(after tokens: JSONTokens, in bytes: [UInt8]) -> String? {
        var isLabel = false
        for token in tokens.prefix(16) {
            switch token {
            case .name(let range): isLabel = Self.labels.contains(bytes[range].text)
            case .string(let range) where isLabel: return bytes[range].text
            case .open, .close: return nil
            default: continue
            }
        }
        return nil
    }

    private func string(_ raw: ArraySlice<UInt8>, at place: Place) -> [UInt8]? {
        guard place.secrecy > .none || raw.count > 5 else { return nil }
        let secrecy =
            place.secrecy != .added && place.hasMessages && raw.contains(UInt8(ascii: " "))
            ? min(place.secrecy, .possible) : place.secrecy
        return inner?.value(raw.jsonUnescaped, named: place.name, secrecy)?.jsonEscaped
    }

    /// Replaces a number, unless it is so small that it is a count.
    private func number(_ literal: ArraySlice<UInt8>, at place: Place) -> [UInt8]? {
        let digits = literal.count(where: ByteSet.digits.contains)
        guard digits > (place.secrecy == .added ? 0 : 2), place.secrecy >= .digits else {
            return nil
        }
        let text = Array(replacement(literal.text, place.name).utf8)
        return text.allSatisfy(ByteSet.digits.contains) ? text : [0x22] + text.jsonEscaped + [0x22]
    }

    private static let errors = ["error", "message", "violation", "warning"]
    private static let values: Set = [
        "value", "Value", "new", "old", "current", "plain", "raw", "#text", "_", "$",
    ]
    private static let labels: Set = ["name", "Name", "key", "Key", "id", "Id"]
}
