import Foundation

/// A form that can contain files.
///
/// It is encoded as in browsers: `multipart/form-data` (RFC 7578) by the rules of the HTML standard.
/// Fields keep their order, and several fields can have the same name.
///
/// ```swift
/// .multipart([.text("name", "Ada"), .file("photo", url, contentType: "image/jpeg")])
/// ```
public struct MultipartForm: Sendable, ExpressibleByArrayLiteral {
    let parts: [Part]

    /// The text between two parts, which must not occur in any part.
    ///
    /// The form does not search the parts for the boundary. The boundary has 128 random bits, so an
    /// attacker cannot guess it, and an accidental match is less likely than corruption by the
    /// network.
    let boundary: String

    /// Creates a form with a new boundary.
    public init(_ parts: [Part]) {
        self.parts = parts
        let bits = (0..<4).map { _ in UInt32.random(in: .min ... .max) }
        boundary = "APIKit-" + bits.map { String(format: "%08x", $0) }.joined()
    }

    /// Creates a form with a new boundary.
    public init(arrayLiteral parts: Part...) {
        self.init(parts)
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    var hasFiles: Bool {
        parts.contains { if case .file = $0.content { true } else { false } }
    }
}
