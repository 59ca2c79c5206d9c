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
/// Loads, uploads, streams and downloads are runs. They differ in how the transport sends a
/// request, and in what happens to the body of an accepted response.
final class CallRun: Sendable {
    /// Sends one request, and returns the body as the transport delivers it.
    typealias Send<Body> = @Sendable (URLRequest) async throws -> (Body, URLResponse)

    let client: APIClient
    /// The call before the interceptors change it, whose request the errors of the run contain.
    let call: APICall
    let observers: [any APIObserver]
    /// Returns whether the call accepts a response with this head.
    let accepts: @Sendable (HTTPURLResponse) -> Bool
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
            throw error.naming(APICall(request: urlRequest, apiRequest: request))
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
            guard accepts(response.http) else { try refuse(response) }
            let output = try response.map { _ in
                try parsed(response, else: .decoding, by: request.parseResponse)
            }
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
            throw error.naming(call)
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

    /// Throws the error of a response that the call does not accept.
    func refuse(_ response: APIResponse<Data>) throws -> Never {
        let kind = APIError.Kind.status(response.statusCode)
        try parsed(response, else: kind, by: call.apiRequest.parseRefusal)
        throw error(kind, of: response)
    }

    /// Parses a response, or throws an `APIError` of the given kind if it cannot be decoded.
    private func parsed<Output>(
        _ response: APIResponse<Data>, else kind: APIError.Kind,
        by parse: (APIResponse<Data>) throws -> Output
    ) throws -> Output {
        do {
            return try parse(response)
        } catch let cause as DecodingError {
            throw error(kind, of: response, cause)
        }
    }
}
