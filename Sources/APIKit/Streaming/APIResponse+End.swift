import Foundation

extension APIResponse {
    /// The body that is still arriving, or `nil` if the value is not a stream.
    var stream: ByteStream? { value as? ByteStream }

    /// Calls a handler when the response ends.
    ///
    /// A response whose value is a ``ByteStream`` ends with the stream. Any other response has
    /// ended, so the handler is called at once. Use it in an interceptor to release the resources
    /// of a call.
    ///
    /// - Parameter handler: Called once, on any thread. Its argument is the error of the stream, as
    ///   in ``ByteStream/onEnd(_:)``, and `nil` for any other response.
    public func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let stream else { return handler(nil) }
        stream.onEnd(handler)
    }
}

extension APIResponse<ByteStream> {
    /// Reads the part of the body that an error carries, and ends the stream.
    func startOfBody() async throws -> APIResponse<Data> {
        let data = try await value.data(upTo: APIError.bodyLimit)
        return map { _ in data }
    }
}
