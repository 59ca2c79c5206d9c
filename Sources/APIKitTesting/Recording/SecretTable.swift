import APIKit
import Foundation

/// The secrets of a recording: their placeholders, their further occurrences, and the last check.
struct SecretTable {
    private let existing: [HAREntry]
    /// The secrets that are replaced wherever they occur, and their placeholders.
    private var strongSecrets: [String: String] = [:]
    /// The secrets that are replaced only beside their names, with their names.
    private(set) var weakSecrets: [String: String] = [:]
    /// The placeholders of the file, as ``HARFile`` lists them.
    private(set) var placeholders: [String]

    /// - Parameters:
    ///   - entries: The entries that remain in the file.
    ///   - placeholders: The placeholders of the file.
    init(after entries: [HAREntry], placeholders: [String] = []) {
        existing = entries
        let texts = Data(entries.flatMap(\.texts).joined(separator: [0]))
        self.placeholders = placeholders.filter { texts.range(of: Data($0.utf8)) != nil }
    }

    /// Returns the entries with all of their secrets replaced, wherever they occur.
    mutating func redact(_ entries: [HAREntry], by redaction: Redaction) -> [HAREntry] {
        guard redaction.hidesAnything else { return entries }
        var placeholders = Placeholders(
            known: self.placeholders, texts: (existing + entries).flatMap(\.texts),
            redaction: redaction)
        var found: [String: FoundSecret] = [:]
        let redacted = entries.map { entry in
            entry.mapTexts { place, bytes in
                redaction.replacingSecrets(at: place, bytes) { secret in
                    if found[secret.text]?.isKnown != true { found[secret.text] = secret }
                    return placeholders.placeholder(for: secret)
                }
            }
        }
        self.placeholders = placeholders.all
        // A secret that is unique, or that has a recognizable format, is replaced everywhere.
        for (secret, placeholder) in placeholders.bySecret where secret != placeholder {
            if found[secret]?.isKnown == true || Self.isUnique(secret) {
                strongSecrets[secret] = placeholder
            } else {
                weakSecrets[secret] = found[secret]?.name ?? ""
            }
        }
        let occurrences = SecretOccurrences(strongSecrets)
        return redacted.map { entry in
            entry.mapTexts { place, bytes in
                // Keep media types, and bodies that are not text.
                if case .header(let name) = place, name.lowercased() == "content-type" {
                    return nil
                }
                return bytes.isText(0..<bytes.count) ? occurrences.redacted(bytes) : nil
            }
        }
    }

    /// Returns whether a text is so long and mixed that it never occurs by accident.
    private static func isUnique(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8, !bytes.contains(0x20) else { return false }
        if ValueShape(bytes).isRandom { return true }
        // A password can have characters that tokens lack, so examine its letters and digits.
        let isWord = bytes.contains { "@/".utf8.contains($0) }
        let letters = bytes.filter(ByteSet.alphanumerics.contains)
        return !isWord && ValueShape(letters).isRandom
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? {
        let check = RecordingCheck(strongSecrets.keys)
        let remedy = """
            contains a secret that has a placeholder elsewhere, and the recording cannot replace it \
            there. Remove it from what the test sends, or let the server return another value.
            """
        for (index, entry) in file.entries.enumerated() {
            guard let part = entry.parts.first(where: { check.finds(in: $0.bytes) }) else {
                continue
            }
            let path = URLComponents(string: entry.request.url)?.percentEncodedPath ?? ""
            let shown = check.finds(in: path.utf8) ? "/\(Redaction.mask)" : path
            return
                "Entry \(index + 1), \(entry.request.method) \(shown): the \(part.name) \(remedy)"
        }
        return check.finds(in: data) ? "The file \(remedy)" : nil
    }
}

extension HAREntry {
    /// The texts that can contain secrets.
    fileprivate var texts: [[UInt8]] { parts.map(\.bytes) }

    /// The texts of an entry, with the names of their places.
    var parts: [(name: String, bytes: [UInt8])] {
        func fields(_ headers: [Field], of message: String) -> [(String, [UInt8])] {
            headers.map { ("\(message) header field \($0.name)", Array($0.value.utf8)) }
        }
        // Without its zero bytes, UTF-16 can be searched like ASCII.
        return [("URL", Array(request.url.utf8))] + fields(request.headers, of: "request")
            + [("request body", request.body.filter { $0 != 0 })]
            + fields(response.headers, of: "response")
            + [("error", Array((response.error ?? "").utf8))]
            + [("response body", response.body.filter { $0 != 0 })]
    }
}

/// The occurrences of secrets in texts, wherever they are: plain, escaped, or in base64.
struct SecretOccurrences {
    /// The patterns by their last eight bytes, the longest one first.
    ///
    /// Tokens often have equal starts, which would select too many patterns.
    private var patterns: [UInt64: [(bytes: [UInt8], secret: String)]] = [:]
    /// For each pair of bytes, whether a pattern ends with it, because a dictionary lookup is
    /// slower.
    private var ends = [Bool](repeating: false, count: 1 << 16)
    private let placeholders: [String: String]

    /// - Parameter secrets: The secrets of at least eight bytes, and their placeholders.
    init(_ secrets: [String: String]) {
        placeholders = secrets
        for secret in secrets.keys where secret.utf8.count >= 8 {
            let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
            let url = base64.replacing("+", with: "-").replacing("/", with: "_")
            for text in Set([secret, base64, url]) {
                let bytes = Array(text.utf8)
                let window = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                patterns[window, default: []].append((bytes, secret))
                ends[Int(window & 0xFFFF)] = true
            }
        }
        patterns = patterns.mapValues { $0.sorted { $0.bytes.count > $1.bytes.count } }
    }

    /// Returns a text with placeholders in place of the secrets, or `nil` if it has none.
    ///
    /// If secrets overlap, the longest of them is replaced.
    func redacted(_ bytes: [UInt8]) -> [UInt8]? {
        guard !patterns.isEmpty else { return nil }
        let found = secrets(in: bytes, depth: 3).withoutOverlaps
        return bytes.substituting(found) { placeholders[$0.text] ?? Redaction.mask }
    }

    private func secrets(in bytes: [UInt8], depth: Int) -> [FoundSecret] {
        var found = matches(in: bytes)
        guard depth > 0 else { return found }
        for plain in UnescapedText.layers(of: 0..<bytes.count, of: bytes) {
            found += secrets(in: plain.bytes, depth: depth - 1).map {
                $0.moved(to: plain.source(of: $0.range))
            }
        }
        return found
    }

    private func matches(in bytes: [UInt8]) -> [FoundSecret] {
        var found: [FoundSecret] = []
        // Pointers are fast even in a build without optimization, in which tests search recordings.
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                var window: UInt64 = 0
                for index in 0..<bytes.count {
                    window = window << 8 | UInt64(bytes[index])
                    guard ends[Int(window & 0xFFFF)],
                        let longest = patterns[window]?.first(where: { pattern in
                            let start = index + 1 - pattern.bytes.count
                            return start >= 0 && bytes[start...index].elementsEqual(pattern.bytes)
                        })
                    else { continue }
                    let range = (index + 1 - longest.bytes.count)..<(index + 1)
                    found.append(FoundSecret(range, longest.secret.utf8, name: ""))
                }
            }
        }
        return found
    }
}
