import Foundation

/// The error of a request without a matching route.
///
/// The code under test receives the error. The request also fails the test, even if the code ignores
/// the error. Such a request never reaches the network.
public struct UnhandledRequestError: Error {
    /// The request.
    public let request: RecordedRequest

    /// The request, the closest route, and the differences between them.
    public let message: String
}

extension UnhandledRequestError: CustomStringConvertible, LocalizedError, CustomNSError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }

    // On Apple platforms a URL session keeps only the domain, code and user info of an error.
    /// The message as the localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}
