import Foundation

extension APIClient {
    /// Loads the output of a request for an input.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The parsed output.
    /// - Throws: An ``APIError``, or the error that the request type or one of your interceptors
    ///   throws. It is `CancellationError` if the task is canceled, or if the session cancels the
    ///   request, as when a delegate rejects a challenge.
    public func load<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType
    ) async throws -> Request.ResponseDataType {
        let run = try CallRun(of: request, with: input, by: self)
        return try await run.load(request, by: transport.send).value
    }

    /// Loads the output of a request together with the response head.
    ///
    /// - Throws: The same errors as ``load(_:with:)``.
    public func response<Request: APIRequest>(
        to request: Request,
        with input: Request.RequestDataType
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await CallRun(of: request, with: input, by: self).load(request, by: transport.send)
    }
}

/// One run of a call, from the request type to the output.
///
/// Loads, uploads, streams and downloads are runs. They differ in how the transport sends a request,
/// and in what happens to the body of an accepted response.
final class CallRun: Sendable {
    /// Sends one request, and returns the body as the transport delivers it.
    typealias Send<Body> = @Sendable (URLRequest) async throws -> (Body, URLResponse)

    let client: APIClient
    /// The call before the interceptors change it, whose request the errors of the run contain.
    let call: APICall
    let observers: [any APIObserver]
    private let accepts: @Sendable (HTTPURLResponse) -> Bool
    private let attempts = Locked(0)

    /// Makes the request, and notifies the observers that the call starts.
    ///
    /// `adjust` can change the request after its URL is absolute and the client's headers are set.
    /// `accepts` replaces the function of the request type.
    init<Request: APIRequest>(
        of request: Request, with input: Request.RequestDataType, by client: APIClient,
        adjust: (inout URLRequest) throws -> Void = { _ in },
        accepting accepts: (@Sendable (HTTPURLResponse) -> Bool)? = nil
    ) throws {
        var urlRequest = try request.makeRequest(from: input)
        do {
            guard let url = urlRequest.url else { throw APIError(.invalidRequest("it has no URL")) }
            urlRequest.url = try url.below(client.baseURL)
            try urlRequest.setHeaders(client.headers, replacing: false)
            try adjust(&urlRequest)
        } catch let error as APIError {
            throw error.naming(urlRequest)
        }
        var call = APICall(request: urlRequest, apiRequest: request)
        (call.baseURL, call.transport) = (client.baseURL, client.transport)
        (self.call, self.client, self.accepts) = (call, client, accepts ?? request.accepts)
        observers = client.observers(call)
        for observer in observers { observer.callStarted() }
    }

    /// Loads the whole body, and parses it.
    func load<Request: APIRequest>(
        _ request: Request, by send: @escaping Send<Data>
    ) async throws -> APIResponse<Request.ResponseDataType> {
        do {
            let response = try await intercepted { [self] in
                try await attempt($0.request, by: send) { $0 }
            }
            let refusal = try await refusal(response.http) { response.value }
            if let refusal { throw refusal }
            let output = try parsed(response, by: request)
            for observer in observers { observer.callSucceeded(with: output) }
            return output
        } catch {
            for observer in observers { observer.callFailed(with: error) }
            throw error
        }
    }

    /// Passes the call through the interceptors, the first outermost, to a closure that sends it.
    func intercepted<Body: Sendable>(
        _ send: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var next = send
        for interceptor in client.interceptors.reversed() {
            next = { [next, call] in try await interceptor.intercept(call.sending($0), next: next) }
        }
        do {
            return try await next(call)
        } catch let error as APIError {
            // An interceptor may throw an error without a request.
            throw error.naming(call.request)
        }
    }

    /// Sends the request of one attempt.
    ///
    /// The observers receive the part of the body that `shown` returns.
    func attempt<Body: Sendable, Shown: Sendable>(
        _ request: URLRequest, by send: Send<Body>, showing shown: (Body) -> Shown
    ) async throws -> APIResponse<Body> {
        try Task.checkCancellation()
        let number = attempts.withLock { count in
            count += 1
            return count
        }
        for observer in observers { observer.requestSent(request, attempt: number) }
        do {
            let (body, head) = try await send(request)
            guard let http = head as? HTTPURLResponse else {
                throw APIError(.notHTTP, body: body as? Data)
            }
            let response = APIResponse(value: body, http: http)
            for observer in observers {
                observer.responseReceived(response.map(shown), attempt: number)
            }
            return response
        } catch {
            throw failure(error)
        }
    }

    /// Parses a response that the request type accepts.
    private func parsed<Request: APIRequest>(
        _ response: APIResponse<Data>, by request: Request
    ) throws -> APIResponse<Request.ResponseDataType> {
        do {
            return try response.map { _ in try request.parseResponse(response) }
        } catch let cause as DecodingError {
            throw APIError(
                .decoding, request: call.request, response: response.http, body: response.value,
                underlying: cause)
        }
    }

    /// Returns the error of a response that the call does not accept, or `nil`.
    ///
    /// `body` returns the part of the body that the error carries.
    func refusal(_ http: HTTPURLResponse, body: () async throws -> Data) async throws -> APIError? {
        guard !accepts(http) else { return nil }
        return APIError(
            .status(http.statusCode), request: call.request, response: http, body: try await body())
    }

    /// Returns the `APIError` or `CancellationError` for an error of the transport.
    func failure(_ error: any Error, after response: HTTPURLResponse? = nil) -> any Error {
        if let error = error as? APIError { return error.naming(call.request) }
        let isCancelled = error is CancellationError || (error as? URLError)?.code == .cancelled
        guard !isCancelled, !Task.isCancelled else { return CancellationError() }
        return APIError(.transport, request: call.request, response: response, underlying: error)
    }
}
