import APIKit
import Foundation

/// The secrets of a recording: their placeholders, their further occurrences, and the last check.
struct RecordedSecrets {
    private var table: Placeholders
    private let existing: [HAREntry]

    /// Keeps the placeholders that occur in the remaining entries of a file.
    init(after entries: [HAREntry], placeholders: [String] = []) {
        existing = entries
        let texts = Data(entries.flatMap(\.parts).map(\.bytes).joined(separator: [0]))
        table = Placeholders(placeholders.filter { texts.range(of: Data($0.utf8)) != nil })
    }

    /// The placeholders of the file, as ``HARFile`` lists them.
    var placeholders: [String] { table.all }

    /// The secrets that look random, with their placeholders, which no place may contain.
    private var unique: [String: String] {
        table.bySecret.filter { $0 != $1 && TextShape($0).isRandom(from: 8) }
    }

    /// Returns the entries with placeholders in place of their secrets.
    ///
    /// A secret that looks random is also replaced where it has no name: plain, percent-encoded,
    /// with the escapes of JSON, and in base64.
    mutating func redact(_ entries: [HAREntry], by redaction: Redaction) -> [HAREntry] {
        guard redaction.hidesAnything else { return entries }
        table.avoidTexts(in: existing + entries)
        let redacted = entries.map { entry in
            var entry = entry
            entry.request = entry.request.redacted(by: redaction) { secret, _ in
                table.placeholder(for: secret)
            }
            entry.response.redact(by: redaction) { secret, _ in table.placeholder(for: secret) }
            return entry
        }
        let occurrences = ByteStrings(
            unique.flatMap { secret, placeholder in
                Self.spellings(of: secret).map { (bytes: $0, value: placeholder) }
            })
        return redacted.map { $0.replacing(occurrences) }
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? {
        let check = ByteStrings(
            unique.keys.flatMap { secret in
                (Self.spellings(of: secret) + Self.base64Spellings(of: secret)).map {
                    (bytes: $0, value: "")
                }
            })
        func isLeak(_ bytes: some Sequence<UInt8>) -> Bool {
            !check.occurrences(in: Array(bytes)).isEmpty
        }
        let remedy = """
            contains a secret that has a placeholder elsewhere, and the recording cannot replace it \
            there. Remove it from what the test sends, or let the server return another value.
            """
        for (index, entry) in file.entries.enumerated() {
            guard let part = entry.parts.first(where: { isLeak($0.bytes) }) else { continue }
            let path = URLComponents(string: entry.request.url)?.percentEncodedPath ?? ""
            let shown = isLeak(path.utf8) ? "/\(Redaction.mask)" : path
            return
                "Entry \(index + 1), \(entry.request.method) \(shown): the \(part.name) \(remedy)"
        }
        return isLeak(data) ? "The file \(remedy)" : nil
    }
}

extension RecordedSecrets {
    /// Returns the spellings of a secret in texts.
    private static func spellings(of secret: String) -> [[UInt8]] {
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let percent = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
        let escaped = secret.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
        return Set([
            secret, percent, percent.replacing("%", with: "%25"),
            percent.replacing(/%../) { $0.output.lowercased() },
            escaped, escaped.replacing("/", with: #"\/"#),
            base64, base64.replacing("+", with: "-").replacing("/", with: "_"),
        ]).map { Array($0.utf8) }
    }

    /// Returns the spellings of a secret in the base64 of a longer text.
    private static func base64Spellings(of secret: String) -> [[UInt8]] {
        (0..<3).flatMap { count -> [[UInt8]] in
            // Omit the characters at both ends, which depend on the bytes beside the secret.
            let bytes = Data(repeating: 0, count: count) + Data(secret.utf8)
            let base64 = String(
                bytes.base64EncodedString().prefix(bytes.count * 8 / 6)
                    .dropFirst(count == 0 ? 0 : count + 1))
            return [base64, base64.replacing("+", with: "-").replacing("/", with: "_")]
                .map { Array($0.utf8) }
        }
    }
}

extension HAREntry {
    /// The texts that can contain secrets, with the names of their places.
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

    /// Returns the entry with the values in place of secrets.
    fileprivate func replacing(_ secrets: ByteStrings) -> HAREntry {
        var entry = self
        entry.request.url = secrets.replacing(in: request.url)
        entry.request.replace(secrets)
        entry.response.replace(secrets)
        entry.response.error = response.error.map { secrets.replacing(in: $0) }
        return entry
    }
}

extension HAREntry.Request {
    /// Returns the request with its secrets replaced.
    func redacted(by redaction: Redaction, with replacement: Redaction.Replacement) -> Self {
        var request = self
        request.url = redaction.replacingSecrets(in: url, with: replacement)
        request.redact(by: redaction, with: replacement)
        return request
    }
}

extension HARMessage {
    fileprivate mutating func redact(
        by redaction: Redaction, with replacement: Redaction.Replacement
    ) {
        let type = headers.value(named: "Content-Type")
        // In the order of the names, so that the result is always the same.
        let order = headers.indices.sorted {
            (headers[$0].name.lowercased(), $0) < (headers[$1].name.lowercased(), $1)
        }
        for index in order {
            headers[index].value = redaction.replacingSecrets(
                inHeader: headers[index].name, headers[index].value, with: replacement)
        }
        setBody(redaction.replacingSecrets(inBody: body, contentType: type, with: replacement))
    }

    /// Replaces further occurrences of secrets, apart from media types and binary bodies.
    fileprivate mutating func replace(_ secrets: ByteStrings) {
        for index in headers.indices where headers[index].name.lowercased() != "content-type" {
            headers[index].value = secrets.replacing(in: headers[index].value)
        }
        if body.utf8Text != nil { setBody(secrets.replacing(in: body)) }
    }

    /// Sets the body and its `Content-Length`, which a client checks in a replay.
    ///
    /// If the length is unchanged, the field is too, because it may differ from the length, as in the
    /// response to a HEAD.
    private mutating func setBody(_ body: Data) {
        if body.count != self.body.count {
            headers.replaceValues(of: "content-length", with: "\(body.count)")
        }
        self.body = body
    }
}
