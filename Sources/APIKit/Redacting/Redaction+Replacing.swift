import Foundation

extension Redaction {
    /// Returns the text in place of a secret: `***` in a log, a placeholder in a recording.
    ///
    /// In JSON, the text of a number stays a number if the closure returns digits.
    package typealias Replacement = (_ secret: String, _ name: String) -> String

    /// What a text is, which decides where a secret can be.
    package enum TextKind {
        /// A text of any kind, such as a URL or a line of a log.
        case any
        /// The value of a query item, a form field, a JSON member or a part.
        case value(named: String)
        case header(named: String)
        case body(contentType: String?)
    }

    /// Returns a text with its secrets replaced.
    package func replacingSecrets(
        in text: String, as kind: TextKind = .any, with replacement: Replacement
    ) -> String {
        replacingSecrets(in: Array(text.utf8), as: kind, with: replacement).text
    }

    /// Returns a text with the added texts replaced, and then the secrets that a search finds.
    package func replacingSecrets(
        in bytes: [UInt8], as kind: TextKind, with replacement: Replacement
    ) -> [UInt8] {
        guard hidesAnything else { return bytes }
        return withoutActuallyEscaping(replacement) { replacement in
            let replacer = Replacer(redaction: self, replacement: replacement)
            let known = replacer.addedTexts(bytes)
            let replaced =
                switch kind {
                case .any: replacer.text(known)
                case .value(let name): replacer.value(known, named: name, secrecy(of: name))
                case .header(let name): replacer.header(name, known)
                case .body(let type): replacer.body(known, contentType: type)
                }
            return replaced ?? known
        }
    }
}
