import Foundation

/// An HTTP method.
///
/// The common methods have names, such as ``get``. Write any other method as a string literal,
/// `"PURGE"`. Names are case-sensitive (RFC 9110, section 9.1): `"purge"` is another method.
/// `URLRequest` changes some common names, such as `"get"`, to upper case, so write all of them in
/// upper case.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name of the method, as sent.
    public let rawValue: String

    /// Creates a method from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method from its name.
    public init(stringLiteral name: String) {
        self.init(rawValue: name)
    }

    /// The name of the method.
    public var description: String { rawValue }

    /// Reads a resource.
    public static let get: Self = "GET"
    /// Reads the head of a resource.
    public static let head: Self = "HEAD"
    /// Submits the body to a resource for processing.
    public static let post: Self = "POST"
    /// Replaces a resource.
    public static let put: Self = "PUT"
    /// Changes a part of a resource.
    public static let patch: Self = "PATCH"
    /// Removes a resource.
    public static let delete: Self = "DELETE"
    /// Returns the communication options of a resource.
    public static let options: Self = "OPTIONS"
}

extension HTTPMethod {
    /// Whether a request states a length of zero if it has no body (RFC 9110, section 8.6).
    package var expectsBody: Bool { [.post, .put, .patch].contains(self) }
}

extension URLRequest {
    /// The method of the request, or GET if it has none.
    package var method: HTTPMethod { httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get }
}
