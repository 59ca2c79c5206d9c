import Foundation

/// A form whose fields may hold files.
///
/// It is encoded as browsers do it: `multipart/form-data` (RFC 7578) by the rules of the HTML
/// standard. Fields keep their order, and a name may be there more than once.
///
/// ```swift
/// .multipart([.text("name", "Ada"), .file("photo", url, contentType: "image/jpeg")])
/// ```
public struct MultipartForm: Sendable, ExpressibleByArrayLiteral {
    let parts: [Part]

    /// What stands between two parts, and so must not occur in any.
    ///
    /// No content is searched for it. It is one of 2^128 that the system chooses by chance, so nobody
    /// can put it there, and it is there by accident less often than a network corrupts a body.
    let boundary: String

    /// Creates a form with a boundary of its own.
    public init(_ parts: [Part]) {
        self.parts = parts
        let bits = (0..<4).map { _ in UInt32.random(in: .min ... .max) }
        boundary = "APIKit-" + bits.map { String(format: "%08x", $0) }.joined()
    }

    /// Creates a form with a boundary of its own.
    public init(arrayLiteral parts: Part...) {
        self.init(parts)
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    var hasFiles: Bool {
        parts.contains { if case .file = $0.content { true } else { false } }
    }
}
