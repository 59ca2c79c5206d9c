extension APIResponse {
    /// Calls a handler when the response has ended: at once, unless its value is a ``ByteStream``.
    ///
    /// Use it in an interceptor that holds a resource until the response has ended.
    ///
    /// - Parameter handler: Called once, on any thread, with the error that ended the stream. As in
    ///   ``ByteStream/onEnd(_:)``, the error is `nil` if the stream was read to its end, and
    ///   `CancellationError` if it was left early. For any other value, the error is `nil`.
    public func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let stream = value as? ByteStream else { return handler(nil) }
        stream.onEnd(handler)
    }
}
