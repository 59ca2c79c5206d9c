import Foundation

/// A loader: one kind of request together with the client that sends it.
///
/// A loader keeps no state between loads, so one serves any number of tasks at once.
public final class APIRequestLoader<Request: APIRequest>: Sendable {
    /// The kind of request that is loaded.
    public let apiRequest: Request

    /// The client that sends it.
    public let client: APIClient

    /// The queue on which completion handlers are called; any thread if there is none.
    public let responseQueue: DispatchQueue?

    /// The URL session that sends the requests, or `nil` if the client has another transport.
    public var urlSession: URLSession? { client.transport as? URLSession }

    /// Creates a loader over a URL session.
    ///
    /// - Parameters:
    ///   - apiRequest: The kind of request to load, whose URLs are absolute.
    ///   - urlSession: The session that loads it.
    public convenience init(apiRequest: Request, urlSession: URLSession = .shared) {
        self.init(apiRequest: apiRequest, client: APIClient(transport: urlSession))
    }

    /// Creates a loader over a client.
    ///
    /// - Parameters:
    ///   - apiRequest: The kind of request to load.
    ///   - client: The client that sends it.
    ///   - responseQueue: The queue on which completion handlers are called.
    public init(apiRequest: Request, client: APIClient, responseQueue: DispatchQueue? = nil) {
        self.apiRequest = apiRequest
        self.client = client
        self.responseQueue = responseQueue
    }

    /// Loads the output for an input.
    ///
    /// - Parameter input: The input to make the request from.
    /// - Returns: The parsed output.
    /// - Throws: The same errors as ``APIClient/load(_:with:)``.
    public func load(_ input: Request.RequestDataType) async throws -> Request.ResponseDataType {
        try await client.load(apiRequest, with: input)
    }

    /// Loads the output for an input and hands it to a completion handler.
    ///
    /// The handler is called exactly once, with either an output or an error, and never from
    /// within this call: on the response queue if there is one, which may be the queue that you are
    /// on. After a cancellation the error is `CancellationError`.
    ///
    /// - Parameters:
    ///   - input: The input to make the request from.
    ///   - completionHandler: Gets the output, or the error that ``load(_:)`` would have thrown.
    /// - Returns: The task of the load, which ends when the handler has returned: keep it to cancel
    ///   it, to compare it with another, or to wait for it in a test.
    @preconcurrency
    @discardableResult
    public func loadAPIRequest(
        requestData input: Request.RequestDataType,
        completionHandler: @escaping @Sendable (Request.ResponseDataType?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        // The load is held back until this call is about to return, so that a handler on another
        // thread does not run before the caller has the task, short of a very slow return.
        let (returned, gate) = AsyncStream.makeStream(of: Never.self)
        defer { gate.finish() }
        return Task { [self] in
            for await _ in returned {}
            let output: Request.ResponseDataType?
            let failure: (any Error)?
            do {
                (output, failure) = (try await load(input), nil)
            } catch {
                (output, failure) = (nil, error)
            }
            guard let responseQueue else { return completionHandler(output, failure) }
            await withCheckedContinuation { continuation in
                responseQueue.async {
                    completionHandler(output, failure)
                    continuation.resume()
                }
            }
        }
    }
}

extension APIRequestLoader where Request.RequestDataType == Void {
    /// Loads the output of a request that needs no input.
    ///
    /// - Throws: The same errors as ``APIClient/load(_:with:)``.
    public func load() async throws -> Request.ResponseDataType {
        try await load(())
    }
}
