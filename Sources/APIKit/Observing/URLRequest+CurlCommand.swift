import Foundation

extension URLRequest {
    /// Returns a command for a shell that sends the same request with curl.
    ///
    /// Use it to add a request to a bug report, or to repeat it outside of your app. The command runs
    /// in any POSIX shell. No part of the request acts as shell syntax, as an option of curl or as the
    /// name of a file. The headers are in the order of their names, so equal requests give equal
    /// commands.
    ///
    /// ```
    /// curl 'https://api.example.com/dogs?page=2' \
    ///   -X PUT \
    ///   -H 'Content-Type: application/json' \
    ///   --data-raw '{"name":"Rex"}'
    /// ```
    ///
    /// Secrets are masked in headers, URL and body, so that the command can be passed on; to send a
    /// request that needs them, hide ``Redaction/nothing``. A body that has a masked secret is no
    /// longer the same, and of a text that is neither JSON nor a form nothing but the mask is left.
    /// Bytes that are no text are not searched for secrets.
    ///
    /// The URL should be absolute, as it is in an interceptor and in an observer. A body that is not
    /// text, or too long for the arguments of a command, is piped in by `printf`. One that is a
    /// stream cannot be read twice and so is not read here: the command takes it from its standard
    /// input. `Content-Length` is left to curl. curl does not follow redirects unless told to.
    ///
    /// No command can hold a NUL, so the method and the values of headers lose theirs. Control
    /// characters other than tab and line feed are written by `printf`, so that the command can be
    /// pasted into a terminal. A header whose name is not a token (RFC 9110, section 5.1) is left out.
    ///
    /// - Parameter redaction: What is hidden.
    /// - Returns: The command, on several lines.
    public func curlCommand(redacting redaction: Redaction = .secrets) -> String {
        let body = httpBody.map {
            redaction.body($0, contentType: value(forHTTPHeaderField: "Content-Type"))
        }
        let hasBody = body != nil || httpBodyStream != nil
        let lines =
            [address(redaction), method(hasBody: hasBody)]
            + headerLines(redaction, hasBody: hasBody)
            + [body.map(argument) ?? (hasBody ? Self.standardInput : nil)]
        let command = lines.compactMap { $0 }.joined(separator: " \\\n  ")
        guard let body, body.argumentText == nil else { return command }
        return "printf '\(body.printfFormat)' | \(command)"
    }

    private func address(_ redaction: Redaction) -> String {
        let text = url.map(redaction.text(of:)) ?? ""
        // Otherwise curl takes brackets and braces for patterns of several URLs.
        let isPattern = text.utf8.contains(where: "[]{}".utf8.contains)
        // Otherwise curl resolves dot segments.
        let hasDotSegment = text.contains("/.")
        let isOption = text.utf8.first == UInt8(ascii: "-")
        let options =
            (isPattern ? "--globoff " : "") + (hasDotSegment ? "--path-as-is " : "")
            + (isOption ? "--url " : "")
        return "curl \(options)\(quoted(text))"
    }

    private func method(hasBody: Bool) -> String? {
        switch method {
        case .get where !hasBody, .post where hasBody: nil
        // With a body, curl refuses `--head`.
        case .head where !hasBody: "--head"
        default: "-X \(quotedIfNeeded(method.rawValue))"
        }
    }

    private func headerLines(_ redaction: Redaction, hasBody: Bool) -> [String] {
        var lines = (allHTTPHeaderFields ?? [:])
            // curl reads the file of the name that follows an "@".
            .filter { HTTPToken.isValid($0.key) }
            .filter { !hasBody || $0.key.lowercased() != "content-length" }
            .sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
            .map { name, value in
                // A name with nothing after its colon tells curl to leave that header out.
                value.utf8.allSatisfy("\0 \t\n\u{B}\u{C}\r".utf8.contains)
                    ? "\(name);" : "\(name): \(redaction.text(ofHeader: name, value))"
            }
        // curl calls every body a form; a URLSession does so only for POST.
        if hasBody, httpMethod != "POST", value(forHTTPHeaderField: "Content-Type") == nil {
            lines.append("Content-Type:")
        }
        return lines.map { "-H \(quoted($0))" }
    }

    private func argument(_ body: Data) -> String {
        body.argumentText.map { "--data-raw \(quoted($0))" } ?? Self.standardInput
    }

    private static let standardInput = "--data-binary @-"
}

extension Data {
    /// The text that can stand in the arguments of a command, if the bytes are such a text.
    ///
    /// Linux allows 128 KiB in one argument. A terminal into which the command is pasted would act
    /// on control characters.
    fileprivate var argumentText: String? {
        let isPlain = allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 10 }
        return isPlain && count <= 100_000 ? utf8Text : nil
    }

    /// The format that makes `printf` write these bytes, to stand in single quotes.
    fileprivate var printfFormat: String {
        enumerated().reduce(into: "") { format, byte in
            switch byte.element {
            case 10: format += "\\n"
            case 13: format += "\\r"
            case UInt8(ascii: "%"): format += "%%"
            // The first character must not look like the start of an option.
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
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
}

/// Returns a text as one word of a shell, in which no character has a meaning.
///
/// The function goes by scalars, as a shell goes by bytes: `'` and a combining mark are one
/// `Character`, which is not equal to `'`.
private func quoted(_ text: String) -> String {
    var word = String.UnicodeScalarView("'".unicodeScalars)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\0": break
        case "'": word += #"'\''"#.unicodeScalars
        case "\t", "\n": word.append(scalar)
        case _ where scalar.properties.generalCategory == .control:
            // A terminal would act on it, within quotes too.
            let escapes = scalar.utf8.map(octalEscape).joined()
            word += #"'"$(printf '\#(escapes)')"'"#.unicodeScalars
        default: word.append(scalar)
        }
    }
    return String(word) + "'"
}

private func quotedIfNeeded(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return isWord && !text.isEmpty ? text : quoted(text)
}
