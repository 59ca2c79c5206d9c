import Foundation

extension URLRequest {
    /// Returns a shell command that sends the same request with curl.
    ///
    /// Use it in a bug report, or to repeat a request outside your app. The command runs in any
    /// POSIX shell. No part of the request acts as shell syntax, as a curl option or as a file
    /// name. Headers are sorted by name, so equal requests give equal commands.
    ///
    /// ```text
    /// curl 'https://api.example.com/dogs?page=2' \
    ///   -X 'PUT' \
    ///   -H 'Content-Type: application/json' \
    ///   --data-raw '{"name":"Rex"}'
    /// ```
    ///
    /// Secrets are masked in header fields, URL and body, so that you can share the command. To send a
    /// request that needs them, pass ``Redaction/nothing``. A mask replaces only the secret, not
    /// the text around it. A body that is not text is searched for secrets only if it is multipart.
    ///
    /// The URL should be absolute, as in interceptors and observers. `printf` writes a body that
    /// is not text, or is too long for a command argument, to the standard input of curl. An
    /// `httpBodyStream` can be read only once, so the command reads that body from its own standard
    /// input. curl computes `Content-Length`. curl does not follow redirects by default.
    ///
    /// A command cannot hold a NUL character, so NUL is removed from the method and from header
    /// values. `printf` writes control characters other than tab and line feed, so that you can
    /// paste the command into a terminal. A header whose name is not a token (RFC 9110, section
    /// 5.1) is omitted.
    ///
    /// - Parameter redaction: The secrets to mask.
    /// - Returns: The command, on several lines.
    public func curlCommand(redacting redaction: Redaction = .secrets) -> String {
        let body = httpBody.map {
            redaction.body($0, contentType: value(forHTTPHeaderField: "Content-Type"))
        }
        let hasBody = body != nil || httpBodyStream != nil
        let text = body?.argumentText
        let data = text.map { "--data-raw \(quoted($0))" } ?? (hasBody ? "--data-binary @-" : nil)
        let lines =
            [address(redaction), method(hasBody: hasBody)]
            + headerLines(redaction, hasBody: hasBody) + [data]
        let command = lines.compactMap { $0 }.joined(separator: " \\\n  ")
        guard let body, text == nil else { return command }
        return "printf '\(body.printfFormat)' | \(command)"
    }

    private func address(_ redaction: Redaction) -> String {
        let text = url.map(redaction.masked(_:)) ?? ""
        var command = "curl "
        // By default, curl expands brackets and braces to several URLs.
        if text.utf8.contains(where: "[]{}".utf8.contains) { command += "--globoff " }
        // By default, curl resolves dot segments.
        if text.contains("/.") { command += "--path-as-is " }
        if text.hasPrefix("-") { command += "--url " }
        return command + quoted(text)
    }

    private func method(hasBody: Bool) -> String? {
        switch method {
        case .get where !hasBody, .post where hasBody: nil
        // curl refuses `--head` with a body.
        case .head where !hasBody: "--head"
        default: "-X \(quoted(method.rawValue))"
        }
    }

    private func headerLines(_ redaction: Redaction, hasBody: Bool) -> [String] {
        var lines = (allHTTPHeaderFields ?? [:])
            // curl reads headers from the file that a name with "@" specifies.
            .filter { HTTPToken.isValid($0.key) }
            .filter { !hasBody || $0.key.lowercased() != "content-length" }
            .sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
            .map { name, value in
                // curl sends an empty header for "name;" and omits the header for "name:".
                value.utf8.allSatisfy("\0 \t\n\u{B}\u{C}\r".utf8.contains)
                    ? "\(name);" : "\(name): \(redaction.masked(header: name, value))"
            }
        // As URLSession does (RFC 9110, section 8.6). curl itself sends it only with a body.
        if !hasBody, method.expectsBody, value(forHTTPHeaderField: "Content-Length") == nil,
            value(forHTTPHeaderField: "Transfer-Encoding") == nil
        {
            lines.append("Content-Length: 0")
        }
        // curl sends the content type of a form with every body, a URLSession only with POST.
        if hasBody, httpMethod != "POST", value(forHTTPHeaderField: "Content-Type") == nil {
            lines.append("Content-Type:")
        }
        return lines.map { "-H \(quoted($0))" }
    }
}

extension Data {
    /// The bytes as text for a command argument, or `nil` if they cannot be one.
    ///
    /// Linux limits one argument to 128 KiB. A terminal interprets control characters when the
    /// command is pasted.
    fileprivate var argumentText: String? {
        let isPlain = allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 10 }
        return isPlain && count <= 100_000 ? utf8Text : nil
    }

    /// A `printf` format, for use in single quotes, that writes the bytes.
    fileprivate var printfFormat: String {
        enumerated().reduce(into: "") { format, byte in
            switch byte.element {
            case 10: format += "\\n"
            case 13: format += "\\r"
            case UInt8(ascii: "%"): format += "%%"
            // A `-` at the start would be an option.
            case UInt8(ascii: "-") where byte.offset > 0,
                32..<127 where !#"-\'"#.utf8.contains(byte.element):
                format.unicodeScalars.append(Unicode.Scalar(byte.element))
            default:
                format += octalEscape(of: byte.element)
            }
        }
    }
}

private func octalEscape(of byte: UInt8) -> String {
    "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
}

/// Returns a text as one quoted shell word.
///
/// It compares scalars, because `'` and a combining mark after it form one `Character`.
private func quoted(_ text: String) -> String {
    var word = String.UnicodeScalarView("'".unicodeScalars)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\0": break
        case "'": word += #"'\''"#.unicodeScalars
        case "\t", "\n": word.append(scalar)
        case "\u{01}"..."\u{1F}", "\u{7F}"..."\u{9F}":
            // A terminal interprets a control character even in quotes.
            let escapes = scalar.utf8.map(octalEscape).joined()
            word += #"'"$(printf '\#(escapes)')"'"#.unicodeScalars
        default: word.append(scalar)
        }
    }
    return String(word) + "'"
}
