extension APIResponse {
    /// Calls a handler when the response ends.
    ///
    /// A response whose value is a ``ByteStream`` ends with the stream. Any other response has ended,
    /// so the handler is called at once. An interceptor can use it to release what a call holds.
    ///
    /// - Parameter handler: Called once, on any thread, with the error that ended the stream, as at
    ///   ``ByteStream/onEnd(_:)``. For any other response, the error is `nil`.
    public func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let stream = value as? ByteStream else { return handler(nil) }
        stream.onEnd(handler)
    }
}
