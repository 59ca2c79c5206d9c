import Foundation

extension SecretSearch {
    /// Finds the secrets in the value of a header field.
    package func secrets(inHeader name: String, _ value: [UInt8]) -> [FoundSecret] {
        guard redaction.hidesAnything else { return [] }
        let all = 0..<value.count
        let field = name.lowercased()
        let rule = redaction.rule(for: name, isHeader: true)
        if redaction.hidesSecrets, !rule.isExcluded {
            switch field {
            case "cookie", "set-cookie":
                return cookies(in: value, isResponse: field == "set-cookie", name: name)
            case "authorization", "proxy-authorization":
                return credentials(in: value, name: name)
            case "www-authenticate", "proxy-authenticate":
                // A challenge has a token, or parameters.
                let token = value.index(of: .blanks, in: all) + 1
                let isToken = token < value.count && !value.dropLast(2).contains(Self.equals)
                if isToken { return credentials(in: value, name: name) }
            default: break
            }
        }
        let found = secrets(inValue: all, of: value, rule: rule, name: name)
        return found.isEmpty ? secrets(inText: value) : found.withoutOverlaps
    }

    private func cookies(in value: [UInt8], isResponse: Bool, name: String) -> [FoundSecret] {
        // The attributes of a response's cookie are not secrets.
        let pairs =
            isResponse
            ? Self.setCookieFields(in: value).map {
                $0.lowerBound..<value.index(of: .semicolon, in: $0)
            }
            : value.ranges(in: 0..<value.count, separatedBy: .semicolon)
        return pairs.flatMap { pair in
            guard let equals = value[pair].firstIndex(of: Self.equals) else {
                return secret(at: pair, of: value, name: name)
            }
            let cookie = String(decoding: value[pair.lowerBound..<equals], as: UTF8.self)
                .trimmingCharacters(in: .whitespaces)
            return secret(
                at: (equals + 1)..<pair.upperBound, of: value, name: "cookie \(cookie)")
        }
    }

    /// Returns the ranges of the `Set-Cookie` values that the loading system has joined by commas.
    ///
    /// The comma in an expiry date is not followed by a name and an equals sign. PHP sends names
    /// such as `user[token]`, which are not tokens of RFC 9110.
    package static func setCookieFields(in value: [UInt8]) -> [Range<Int>] {
        var (fields, start) = ([Range<Int>](), 0)
        for end in value.indices where value[end] == UInt8(ascii: ",") {
            let name = value.index(of: ByteSet.blanks.inverted, in: (end + 1)..<value.count)
            let nameEnd = value.index(of: endsOfCookieName, in: name..<value.count)
            let mark = value.index(of: ByteSet.blanks.inverted, in: nameEnd..<value.count)
            guard nameEnd > name, mark < value.count, value[mark] == equals else { continue }
            fields.append(start..<end)
            start = end + 1
        }
        return fields + [start..<value.count]
    }

    /// Finds the credentials after their scheme (RFC 9110, section 11.4).
    private func credentials(in value: [UInt8], name: String) -> [FoundSecret] {
        let scheme = value.index(of: .blanks, in: 0..<value.count)
        let start = value.index(of: ByteSet.blanks.inverted, in: scheme..<value.count)
        guard start < value.count else {
            return secret(at: 0..<value.count, of: value, name: name)
        }
        let parameters = value.ranges(in: start..<value.count, separatedBy: Self.comma)
        let names = parameters.map { parameter -> Range<Int>? in
            let trimmed = value.trimming(.space, parameter)
            let end = value.index(of: Self.noToken, in: trimmed)
            // Padding at the end of base64 is not a separator.
            let isName =
                end + 1 < trimmed.upperBound && value[end] == Self.equals
                && value[end + 1] != Self.equals
            return isName ? trimmed.lowerBound..<end : nil
        }
        guard names.first != .some(nil) else {
            return secret(at: start..<value.count, of: value, name: name)
        }
        return zip(parameters, names).flatMap { parameter, nameRange in
            guard let nameRange else { return secret(at: parameter, of: value, name: name) }
            let text = String(decoding: value[nameRange], as: UTF8.self).lowercased()
            guard !Self.harmlessParameters.contains(text) else { return [] }
            return secret(
                at: (nameRange.upperBound + 1)..<parameter.upperBound, of: value, name: name)
        }
    }

    /// Returns the secret in a range, without the space and the quotes around it.
    private func secret(at range: Range<Int>, of bytes: [UInt8], name: String) -> [FoundSecret] {
        let range = bytes.trimming(Self.quoteOrSpace, range)
        let text = UnescapedText(percentEncoded: range, of: bytes).bytes
        return text.isEmpty ? [] : [FoundSecret(range, text, name: name)]
    }

    /// Parameters that are not secrets, from RFC 7616, RFC 5849 and AWS Signature Version 4.
    private static let harmlessParameters: Set = [
        "algorithm", "charset", "headers", "nc", "oauth_signature_method", "oauth_timestamp",
        "oauth_version", "qop", "realm", "signedheaders", "uri", "version",
    ]
    private static let comma = ByteSet(",")
    private static let endsOfCookieName = ByteSet("=;, \t")
    private static let equals = UInt8(ascii: "=")
    private static let quoteOrSpace = ByteSet("\" \t\r\n")
    private static let noToken = ByteSet.alphanumerics.union("_-.").inverted
}

extension SecretSearch {
    /// Finds the secrets in the parts of a multipart body (RFC 2046, section 5.1), or returns `nil`
    /// if it has no parts.
    ///
    /// The last part may be truncated.
    func secrets(inParts range: Range<Int>, of bytes: [UInt8], boundary: String) -> [FoundSecret]? {
        guard let search = nested() else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        var found: [FoundSecret] = []
        var start: Int?
        for line in bytes.ranges(in: range, separatedBy: Self.lineFeed)
        where bytes[line].starts(with: delimiter) {
            if let start {
                // The line break before a delimiter belongs to the delimiter.
                let last = max(start, line.lowerBound - 1)
                let hasReturn = last > start && bytes[last - 1] == UInt8(ascii: "\r")
                found += search.secrets(inPart: start..<(hasReturn ? last - 1 : last), of: bytes)
            }
            start = min(line.upperBound + 1, range.upperBound)
        }
        guard let start else { return nil }
        return found + search.secrets(inPart: start..<range.upperBound, of: bytes)
    }

    private func secrets(inPart range: Range<Int>, of bytes: [UInt8]) -> [FoundSecret] {
        var end = range.lowerBound
        var found: [FoundSecret] = []
        var fields: [(name: String, value: [UInt8])] = []
        for line in bytes.ranges(in: range, separatedBy: Self.lineFeed) {
            let content = bytes.trimming(.space, line)
            end = min(line.upperBound + 1, range.upperBound)
            if content.isEmpty { break }
            // A field continues on lines that start with a space.
            if content.lowerBound > line.lowerBound, let last = fields.indices.last {
                fields[last].value += [0x20] + bytes[content]
                continue
            }
            let colon = bytes[content].firstIndex(of: UInt8(ascii: ":")) ?? content.upperBound
            let field = String(decoding: bytes[content.lowerBound..<colon], as: UTF8.self)
            let value = min(colon + 1, content.upperBound)..<content.upperBound
            let text = bytes.trimming(.space, value)
            fields.append((field.lowercased(), Array(bytes[text])))
            found += secrets(inHeader: field, Array(bytes[text])).map {
                $0.moved(by: text.lowerBound)
            }
        }
        func value(of name: String) -> String? {
            fields.last { $0.name == name }
                .map { String(decoding: $0.value, as: UTF8.self) }?
                .trimmingCharacters(in: .whitespaces)
        }
        let parameters = FieldReader.parameters(of: value(of: "content-disposition") ?? "")
        let name = parameters["name"] ?? ""
        let isFile = parameters["filename"] != nil || parameters["filename*"] != nil
        let body = end..<range.upperBound
        if !isFile, bytes.isText(body) {
            let value = secrets(inValue: body, of: bytes, rule: rule(for: name), name: name)
            if !value.isEmpty { return found + value }
        }
        return found
            + secrets(inBody: Array(bytes[body]), contentType: value(of: "content-type"))
            .map { $0.moved(by: end) }
    }

    private static let lineFeed = ByteSet("\n")
}
