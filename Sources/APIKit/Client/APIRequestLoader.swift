import Foundation

/// A request type together with the client that sends its requests.
///
/// A loader keeps no state between loads, so any number of tasks can use it at once.
public final class APIRequestLoader<Request: APIRequest>: Sendable {
    /// The request type.
    public let apiRequest: Request

    /// The client that sends the requests.
    public let client: APIClient

    /// The queue on which completion handlers are called, or `nil` for any thread.
    public let responseQueue: DispatchQueue?

    /// The URL session that sends the requests, or `nil` if the client has another transport.
    public var urlSession: URLSession? { client.transport as? URLSession }

    /// Creates a loader over a URL session.
    ///
    /// - Parameters:
    ///   - apiRequest: The request type. Its requests must have absolute URLs.
    ///   - urlSession: The session that sends the requests.
    public convenience init(apiRequest: Request, urlSession: URLSession = .shared) {
        self.init(apiRequest: apiRequest, client: APIClient(transport: urlSession))
    }

    /// Creates a loader over a client.
    ///
    /// - Parameters:
    ///   - apiRequest: The request type.
    ///   - client: The client that sends the requests.
    ///   - responseQueue: The queue on which completion handlers are called, or `nil` for any thread.
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

    /// Loads the output for an input and passes it to a completion handler.
    ///
    /// The handler is called exactly once, with either an output or an error, on the response queue.
    /// The call is asynchronous, even if the caller runs on that queue. If the load is canceled before
    /// its response has arrived, the error is `CancellationError`.
    ///
    /// In Swift 5 mode, the compiler accepts a handler that uses the main actor, such as a view,
    /// although it runs on any thread. For such a handler, create the loader with
    /// `responseQueue: .main`. In Swift 6 mode, such a handler does not compile until you also wrap its
    /// code in `MainActor.assumeIsolated { … }`.
    ///
    /// - Parameters:
    ///   - input: The input to make the request from.
    ///   - completionHandler: Receives the output, or the error that ``load(_:)`` throws.
    /// - Returns: The task of the load, which completes after the handler returns. Use it to cancel
    ///   the load, to distinguish it from another load, or to wait for it in a test.
    @preconcurrency
    @discardableResult
    public func loadAPIRequest(
        requestData input: Request.RequestDataType,
        completionHandler: @escaping @Sendable (Request.ResponseDataType?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        // The load starts when this function returns, so the caller usually has the task before the
        // handler runs on another thread.
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

extension APIRequestLoader: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        ["client": client, "apiRequest": "\(type(of: apiRequest))"]
    }
}
