import APIKit
import Foundation

/// The last check of a file before it is written, independent of the search for secrets.
struct RecordingCheck {
    /// The spellings of the secrets by their first eight bytes.
    private var spellings: [UInt64: [[UInt8]]] = [:]

    /// - Parameter secrets: The secrets that must not be in the file.
    init(_ secrets: some Sequence<String>) {
        for spelling in secrets.flatMap(Self.spellings) where spelling.count >= 8 {
            let start = spelling.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            spellings[start, default: []].append(spelling)
        }
    }

    /// Returns whether bytes contain a secret: plain, percent-encoded, escaped in JSON or in base64.
    func finds(in bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var window: UInt64 = 0
        return bytes.indices.contains { index in
            window = window << 8 | UInt64(bytes[index])
            // The window starts with zeros, and a secret may start with zeros too.
            guard index >= 7 else { return false }
            return spellings[window]?.contains { bytes[(index - 7)...].starts(with: $0) } ?? false
        }
    }

    private static func spellings(of secret: String) -> [[UInt8]] {
        let percent = percentEncoded(secret)
        let escaped = OrderedJSON.escaped(secret)
        var texts = [
            secret, percent, percentEncoded(percent),
            percent.replacing(/%../) { $0.output.lowercased() },
            escaped, OrderedJSON.escaped(escaped), escaped.replacing("/", with: #"\/"#),
            escaped.replacing("/", with: #"\\/"#),
        ]
        for count in 0..<3 {
            // Omit the characters at both ends, which depend on the bytes beside the secret.
            let bytes = Data(repeating: 0, count: count) + Data(secret.utf8)
            let base64 = String(
                bytes.base64EncodedString().prefix(bytes.count * 8 / 6)
                    .dropFirst(count == 0 ? 0 : count + 1))
            texts += [
                base64, base64.replacing("+", with: "-").replacing("/", with: "_"),
                base64.replacing("/", with: #"\/"#),
            ]
        }
        return Set(texts).map { Array($0.utf8) }
    }

    private static func percentEncoded(_ text: String) -> String {
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }
}
