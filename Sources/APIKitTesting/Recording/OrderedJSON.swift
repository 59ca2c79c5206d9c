import Foundation

/// A JSON value whose members keep their order, and whose bytes are the same on every platform.
///
/// `JSONEncoder` sorts the members, and its spaces and escapes depend on the platform.
enum OrderedJSON {
    /// The members of an object, without those whose value is `nil`.
    typealias Members = KeyValuePairs<String, OrderedJSON?>

    case string(String)
    /// A string in UTF-8.
    case utf8(Data)
    case number(Double)
    case array([OrderedJSON])
    case object(Members)
    /// An object on one line.
    case line(Members)

    /// The indented text.
    var data: Data {
        var bytes: [UInt8] = []
        write(to: &bytes, margin: "\n")
        bytes.append(0x0A)
        return Data(bytes)
    }

    /// Writes the value, whose lines start with a margin.
    private func write(to bytes: inout [UInt8], margin: String) {
        switch self {
        case .string(let text): Self.quote(text, to: &bytes)
        case .utf8(let text): text.withUnsafeBytes { Self.quote($0, to: &bytes) }
        case .number(let value):
            bytes += (Int(exactly: value).map { "\($0)" } ?? "\(value)").utf8
        case .array(let elements):
            let values = elements.map { (name: String?.none, value: $0) }
            Self.write("[", values, "]", to: &bytes, margin: margin, inner: margin + "  ")
        case .object(let members):
            let values = Self.values(of: members)
            Self.write("{", values, "}", to: &bytes, margin: margin, inner: margin + "  ")
        case .line(let members):
            Self.write("{", Self.values(of: members), "}", to: &bytes, margin: " ", inner: " ")
        }
    }

    private static func values(of members: Members) -> [(name: String?, value: OrderedJSON)] {
        members.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func write(
        _ opening: String, _ values: [(name: String?, value: OrderedJSON)], _ closing: String,
        to bytes: inout [UInt8], margin: String, inner: String
    ) {
        bytes += opening.utf8
        for (index, (name, value)) in values.enumerated() {
            bytes += (index == 0 ? inner : ",\(inner)").utf8
            if let name {
                quote(name, to: &bytes)
                bytes += ": ".utf8
            }
            value.write(to: &bytes, margin: inner)
        }
        if !values.isEmpty { bytes += margin.utf8 }
        bytes += closing.utf8
    }
}

extension OrderedJSON {
    /// Returns a text with the escapes of a JSON string.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        quote(text, to: &bytes)
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func quote(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { quote(UnsafeRawBufferPointer($0), to: &bytes) }
    }

    private static func quote(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated() {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            bytes.append(contentsOf: escape(byte).utf8)
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private static let escapes: [UInt8: String] = [
        UInt8(ascii: "\""): #"\""#, UInt8(ascii: "\\"): #"\\"#,
        0x08: #"\b"#, 0x09: #"\t"#, 0x0A: #"\n"#, 0x0C: #"\f"#, 0x0D: #"\r"#,
    ]

    private static func escape(_ byte: UInt8) -> String {
        escapes[byte] ?? "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }
}
