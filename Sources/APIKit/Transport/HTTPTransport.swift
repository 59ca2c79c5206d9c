import Foundation

/// A type that sends requests and returns their responses.
///
/// `URLSession` is a transport. A test double needs only ``send(_:)``. To use another networking
/// library, implement this protocol; your request types stay the same.
///
/// A `URLSession` adds header fields, such as `Cookie`. ``ETagCache``, ``Coalescing`` and downloads
/// distinguish users by them. What any other transport adds is unknown. These interceptors then
/// distinguish users only by the fields of the request. A download resumes an earlier one only if it
/// belongs to the same call, or if the account of both is known.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// It returns a response of any status. Canceling the calling task ends the request.
    ///
    /// - Parameter request: The request, with an absolute URL.
    /// - Returns: The body, empty if the response has none, and the response head, an
    ///   `HTTPURLResponse`.
    /// - Throws: An error if no complete response arrives, preferably a `URLError`, or
    ///   `CancellationError`.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse)

    /// Sends a request, and returns the body as it arrives.
    ///
    /// It returns as soon as the response head arrives. Ending the stream early ends the request.
    ///
    /// The default implementation calls ``send(_:)`` and returns a stream of one chunk.
    ///
    /// - Throws: The same errors as ``send(_:)``. The stream throws errors that follow the head.
    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse)

    /// Sends a request with a separate body, and reports the progress.
    ///
    /// The default implementation reads the body into memory and calls ``send(_:)``. It reports the
    /// whole body as sent when the response arrives.
    ///
    /// - Parameters:
    ///   - request: The request, with an absolute URL and without a body.
    ///   - body: The body. Send ``HTTPBody/chunks()``.
    ///   - progress: Called on any thread with the progress of sending. After a challenge, the
    ///     system sends the body again, and the count starts over; the client passes on only steps
    ///     above the last one.
    /// - Returns: The body, empty if the response has none, and the response head.
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

    /// Reads the body into memory, and sends it with the request.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        var request = request
        let data = try await body.collected()
        request.httpBody = data
        let response = try await send(request)
        progress(TransferProgress(completedBytes: data.count, totalBytes: data.count))
        return response
    }
}
