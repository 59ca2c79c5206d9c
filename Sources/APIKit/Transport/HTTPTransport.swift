import Foundation

/// A transport: something that sends a request and returns the answer.
///
/// `URLSession` is one. A double for a test is three lines, and any other networking library fits
/// behind it without a change to a single request type.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// Cancelling the task ends the request. An answer of any status is returned; only the lack of
    /// one is thrown.
    ///
    /// - Parameter request: The request, with an absolute URL.
    /// - Returns: The body, empty if there was none, and the head of the response.
    /// - Throws: What kept the answer away, or `CancellationError`.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse)

    /// Sends a request, and returns the body as it arrives.
    ///
    /// It returns as soon as there is a head. The stream ends the request when it is left.
    ///
    /// The default sends the request with ``send(_:)``, so that the stream is one chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``; the stream throws what breaks later.
    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse)

    /// Sends a request with a body of its own, and tells how far the sending has come.
    ///
    /// The default reads the body into memory and sends the request with ``send(_:)``, so that all
    /// of it counts as sent when there is a response.
    ///
    /// - Parameters:
    ///   - request: The request, with an absolute URL and without a body.
    ///   - body: The body, which can be read more than once.
    ///   - progress: Told how much has been sent, on any thread.
    /// - Returns: The body, empty if there was none, and the head of the response.
    /// - Throws: The same errors as ``send(_:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse)
}

extension HTTPTransport {
    /// Sends a request, and returns its body as a stream of one chunk.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let (data, response) = try await send(request)
        return (ByteStream(data), response)
    }

    /// Sends a request with a body that is read into memory.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        var request = request
        let data = try await Blocking.run { _ in try body.data() }
        request.httpBody = data
        let answer = try await send(request)
        progress(TransferProgress(completedBytes: data.count, totalBytes: data.count))
        return answer
    }
}
