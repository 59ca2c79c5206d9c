import Foundation

// Texts for the descriptions of errors, requests and responses.
//
// `print`, `dump` and `String(reflecting:)` show the children of a mirror. The default mirrors of
// types that hold requests and responses show URLs and header fields in full, so these types define
// their mirrors.

extension Redaction {
    /// Returns the mask for a secret value, after the scheme if the value has one.
    package static func hidden(_ value: String) -> String {
        (["Bearer ", "Basic "].first(where: value.hasPrefix) ?? "") + mask
    }

    /// Returns whether values of this name are often secrets.
    ///
    /// Use it where the value itself is not at hand.
    package static func hidesValue(named name: String) -> Bool {
        // Members such as `keys` and `sessions` contain other values.
        let isContainer = name.hasSuffix("s") && !name.lowercased().hasSuffix("tokens")
        return secrets.secrecy(of: name) >= .digits || !isContainer && hidesHeader(name)
    }

    /// Returns the method and the URL of a request with secrets masked.
    static func masked(_ request: URLRequest) -> String {
        "\(request.method) \(request.url.map(masked(_:)) ?? "without a URL")"
    }

    /// Returns header fields with their secrets masked.
    package static func masked(_ headers: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: headers.map { ($0, secrets.masked(header: $0, $1)) })
    }

    /// Returns the start of a text on one line, with its secrets masked.
    ///
    /// Use it in descriptions, because a text from a server can have any length.
    static func excerpt(of text: String, upTo limit: Int) -> String {
        // Masking a long text is slow. The margin completes a secret at the limit.
        let start = String(text.unicodeScalars.prefix(16 * limit))
        return secrets.masked(start).onOneLine.shortened(to: limit)
    }

    /// Returns the first bytes of a body that is text, with its secrets masked, or `nil` for another.
    ///
    /// The media type decides what is text.
    func excerpt(ofBody body: Data, contentType: String?, upTo limit: Int) -> String? {
        guard FieldReader.isText(contentType) else { return nil }
        // The margin completes a secret at the limit, whose start alone may not look random.
        let shown = self.body(body.prefixOfText(upTo: limit + 200), contentType: contentType)
        return shown.prefixOfText(upTo: limit).utf8Text
    }
}

extension String {
    /// The text with each run of white space, line breaks and control characters as one space.
    ///
    /// Characters that set the direction of a text count as control characters, because they would
    /// change the order of the whole line.
    var onOneLine: String {
        unicodeScalars.split { scalar in
            // Reading the properties of a scalar is slow.
            if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
            let properties = scalar.properties
            return properties.isWhitespace || properties.isBidiControl
                || properties.generalCategory == .control
        }
        .map { String($0) }.joined(separator: " ")
    }

    /// Returns the start of the text, with an ellipsis in place of the rest.
    ///
    /// The result has at most as many Unicode scalars as the limit.
    package func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Not characters, because one character can have any number of scalars.
        let start = unicodeScalars.prefix(limit)
        return start.endIndex == endIndex ? self : String(start.dropLast()) + "…"
    }
}

extension Data {
    /// Returns the first bytes up to a limit, without a partial UTF-8 character at the end.
    func prefixOfText(upTo limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        while end > startIndex, self[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return self[..<end]
    }

    /// The bytes as UTF-8 text, or `nil` if they are not valid UTF-8 or contain a NUL.
    package var utf8Text: String? {
        let text = String(decoding: self, as: UTF8.self)
        // The conversion replaces invalid bytes, so the result then differs.
        return !contains(0) && text.utf8.elementsEqual(self) ? text : nil
    }
}

/// An error whose description contains no secret.
///
/// Its text is not masked again, which would take the words beside a mask for secrets.
package protocol ErrorWithoutSecrets: Error {}

/// A type with secrets, of which `dump` shows chosen values only.
package protocol DumpsWithoutSecrets: CustomReflectable {
    var dumped: KeyValuePairs<String, Any> { get }
}

extension DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> { [:] }

    /// A mirror without secrets, for `dump`.
    public var customMirror: Mirror {
        Mirror(self, children: dumped, displayStyle: Self.self is AnyObject.Type ? .class : .struct)
    }
}
