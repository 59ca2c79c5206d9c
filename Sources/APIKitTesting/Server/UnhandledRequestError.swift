import Foundation

/// The error for a request that no route answers.
///
/// It is thrown to the code under test, and it is a failure of the test even if that code drops it.
/// Such a request never reaches the network.
public struct UnhandledRequestError: Error {
    /// The request.
    public let request: RecordedRequest

    /// What was asked, which route came closest, and how it differs.
    public let message: String
}

extension UnhandledRequestError: CustomStringConvertible, LocalizedError, CustomNSError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }

    // On Apple platforms the loading system hands errors on as `NSError`; the text survives so.
    /// The message under the key of a localized description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}
