import Foundation

extension Redaction {
    /// Returns the text in place of a secret: `***` in a log, a placeholder in a recording.
    ///
    /// In JSON, the text of a number stays a number if the closure returns digits.
    package typealias Replacement = (_ secret: String, _ name: String) -> String

    /// Returns a text with its secrets replaced, such as a URL or a line of a log.
    package func replacingSecrets(in text: String, with replacement: Replacement) -> String {
        replacing(text.utf8, replacement) { $0.text($1) }.text
    }

    /// Returns the value of a query item, a form field, a JSON member or a part with its secrets
    /// replaced.
    package func replacingSecrets(
        in value: String, named name: String, with replacement: Replacement
    ) -> String {
        replacing(value.utf8, replacement) { $0.value($1, named: name, secrecy(of: name)) }.text
    }

    /// Returns the value of a header field with its secrets replaced.
    package func replacingSecrets(
        inHeader name: String, _ value: String, with replacement: Replacement
    ) -> String {
        replacing(value.utf8, replacement) { $0.header(name, $1) }.text
    }

    /// Returns a body with its secrets replaced.
    package func replacingSecrets(
        inBody body: Data, contentType: String?, with replacement: Replacement
    ) -> Data {
        Data(replacing(body, replacement) { $0.body($1, contentType: contentType) })
    }

    /// Replaces the added texts, and then the secrets that a search finds.
    private func replacing(
        _ source: some Sequence<UInt8>, _ replacement: Replacement,
        _ search: (Replacer, [UInt8]) -> [UInt8]?
    ) -> [UInt8] {
        let bytes = Array(source)
        guard hidesAnything else { return bytes }
        return withoutActuallyEscaping(replacement) { replacement in
            let replacer = Replacer(redaction: self, replacement: replacement)
            let known = replacer.addedTexts(bytes)
            return search(replacer, known) ?? known
        }
    }
}
