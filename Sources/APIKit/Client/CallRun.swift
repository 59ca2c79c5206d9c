import Foundation

/// One run of a call, from the request type to the output.
///
/// Loads, uploads, streams and downloads are runs. They differ in how the transport sends a
/// request, and in what happens to the body of an accepted response.
final class CallRun: Sendable {
    /// Sends one request, and returns the body as the transport delivers it.
    typealias Send<Body> = @Sendable (URLRequest) async throws -> (Body, URLResponse)

    let client: APIClient
    /// The call before the interceptors change it, whose request appears in errors.
    let call: APICall
    /// Replaces the decision of the request type whether to accept a response.
    private let accepting: (@Sendable (HTTPURLResponse) -> Bool)?
    let observers: [any APIObserver]
    /// Whether the observers have received the end of the call.
    private let isOver: Locked<Bool>?

    /// Makes the request and the observers.
    ///
    /// `body`, if given, is sent with the request, which must have none. `adjust` can change the request
    /// after its URL is absolute and the client's headers are set.
    /// `accepting`, if given, replaces ``APIRequest/accepts(_:)`` of the request type.
    init<Request: APIRequest>(
        of request: Request, with input: Request.RequestDataType, by client: APIClient,
        uploading body: HTTPBody? = nil, adjust: (inout URLRequest) throws -> Void = { _ in },
        accepting: (@Sendable (HTTPURLResponse) -> Bool)? = nil
    ) throws {
        var urlRequest = try request.makeRequest(from: input)
        do {
            guard let url = urlRequest.url else { throw APIError(.invalidRequest("it has no URL")) }
            urlRequest.url = try url.below(client.baseURL)
            try urlRequest.setHeaders(client.headers(for: urlRequest.url), replacing: false)
            if let body { try urlRequest.prepareToUpload(body) }
            try adjust(&urlRequest)
        } catch let error as APIError {
            throw error.naming(APICall(request: urlRequest, apiRequest: request))
        }
        call = APICall(
            CallContext(
                of: request, request: urlRequest, from: input, baseURL: client.baseURL,
                transport: client.sender, maxBodyBytes: client.maxBodyBytes, uploading: body))
        (self.client, self.accepting) = (client, accepting)
        observers = client.observers(call)
        isOver = observers.isEmpty ? nil : Locked(false)
    }

    /// Returns whether the call accepts a response, by its head.
    func accepts(_ head: HTTPURLResponse) -> Bool {
        accepting?(head) ?? call.apiRequest.accepts(head)
    }

    /// Loads the whole body, and parses it.
    ///
    /// `upload`, if given, sends the request together with the body of the call.
    func load<Request: APIRequest>(
        _ request: Request, by upload: Send<Data>? = nil
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await observed {
            let response = try await intercepted { [self] in
                let send = $0.body == nil ? nil : upload
                return try await attempt($0, by: send ?? client.sender.send)
            }
            guard accepts(response.http) else { try refuse(response) }
            let output = try response.map { _ in
                try parsed(response, else: .decoding, by: request.parseResponse)
            }
            succeed(with: output)
            return output
        }
    }

    /// Returns the body as it arrives, and ends the call when the stream ends.
    func stream() async throws -> APIResponse<ByteStream> {
        try await observed {
            let response = try await intercepted { [self] in try await attempt(streaming: $0) }
            guard accepts(response.http) else { try refuse(await response.startOfBody()) }
            // Releasing the stream ends it, so the handler must not retain the stream.
            let head = response.map { _ in }
            response.value.onEnd { [self] error in
                if let error { fail(with: error) } else { succeed(with: head) }
            }
            return response
        }
    }

    /// Runs the call, and notifies the observers that it starts, and that it fails if it throws.
    ///
    /// An `APIError` without a request, such as one of an interceptor, receives the call's. The
    /// error of a ``Deadline`` also receives what the call's last attempt returned.
    func observed<Output>(_ body: () async throws -> Output) async throws -> Output {
        notify { $0.callStarted() }
        do {
            return try await body()
        } catch {
            let error =
                (error as? APIError).map { error in
                    let last = error.kind == .deadline ? call.context.withLock(\.last) : nil
                    return error.naming(call, after: last)
                } ?? error
            fail(with: error)
            throw error
        }
    }

    /// Notifies the observers that the call has succeeded.
    func succeed<Value: Sendable>(with response: APIResponse<Value>) {
        notify(ends: true) { $0.callSucceeded(with: response) }
    }

    /// Notifies the observers that the call has failed.
    private func fail(with error: any Error) {
        notify(ends: true) { $0.callFailed(with: error) }
    }

    /// Notifies the observers of a step, unless the call has ended for them.
    ///
    /// An attempt can outlive its canceled call, because other calls wait for its response. A lock orders
    /// its steps and the end.
    private func notify(ends isEnd: Bool = false, _ step: (any APIObserver) -> Void) {
        isOver?.withLock { isOver in
            guard !isOver else { return }
            isOver = isEnd
            for observer in observers { step(observer) }
        }
    }
}

// MARK: - Attempts

extension CallRun {
    /// Passes the call through the interceptors, the first outermost, to a closure that sends it.
    func intercepted<Body: Sendable>(
        _ send: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var next = send
        for interceptor in client.interceptors.reversed() {
            next = { [next, call] in try await interceptor.intercept(call.sending($0), next: next) }
        }
        return try await next(call)
    }

    /// Returns the request of the first attempt, and ends the call before it is sent.
    func finalRequest() async throws -> URLRequest {
        let final = Locked<URLRequest?>(nil)
        do {
            // No interceptor can make or share a response without a value.
            let unsent: APIResponse<Never> = try await intercepted { call in
                try Task.checkCancellation()
                try call.request.checkHead()
                final.withLock { $0 = call.request }
                // Interceptors rethrow this error, and Retry never repeats after it.
                throw CancellationError()
            }
            switch unsent.value {}
        } catch {
            if let request = final.withLock({ $0 }) { return request }
            throw (error as? APIError)?.naming(call) ?? error
        }
    }

    /// Sends the request of one attempt, and returns the body as it arrives.
    func attempt(streaming sent: APICall) async throws -> APIResponse<ByteStream> {
        let response = try await attempt(sent, by: client.sender.stream)
        let http = response.http
        let context = ByteStream.Context(
            request: call.request, http: http, decoder: call.apiRequest.decoder,
            parseError: call.apiRequest.parseError)
        return response.map { body in
            body.reading.mapErrors { [self] in failure($0, after: http) }
            return ByteStream(reading: body.reading, context: context)
        }
    }

    /// Sends the request of one attempt.
    private func attempt<Body: Sendable>(
        _ sent: APICall, by send: Send<Body>
    ) async throws -> APIResponse<Body> {
        let request = sent.request
        try Task.checkCancellation()
        try request.checkHead()
        let attempt = CallAttempt(of: call.context, isContinuation: sent.isContinuation)
        notify { $0.requestSent(request, attempt: attempt.number) }
        do {
            let (body, head) = try await CallAttempt.$current.withValue(attempt) {
                try await send(request)
            }
            guard let http = head as? HTTPURLResponse else {
                throw APIError(.notHTTP, body: body as? Data)
            }
            let response = APIResponse(value: try limited(body, of: http), http: http)
            attempt.end(of: request)
            keepLast(APIError(.deadline, response: http, body: response.value as? Data))
            notify { observer in
                // An observer must not read a body that is still arriving.
                if response.stream == nil {
                    observer.responseReceived(response, attempt: attempt.number)
                } else {
                    observer.responseReceived(response.map { _ in }, attempt: attempt.number)
                }
            }
            return response
        } catch {
            attempt.end(of: request)
            let error = failure(error)
            if let last = error as? APIError { keepLast(last) }
            throw error
        }
    }

    /// Returns the body, of which a refused response keeps only the start.
    private func limited<Body>(_ body: Body, of http: HTTPURLResponse) throws -> Body {
        let context = call.context
        guard let data = body as? Data, context.isEnough(data.count, of: http) else { return body }
        if let error = context.excess(of: data.count, in: http) { throw error }
        return Data(data.prefix(APIError.bodyLimit)) as? Body ?? body
    }

    /// Keeps how the last attempt ended, if a ``Deadline`` needs it.
    private func keepLast(_ last: @autoclosure () -> APIError) {
        call.context.withLock { if $0.last != nil { $0.last = last() } }
    }
}

// MARK: - Parsing and errors

extension CallRun {
    /// Throws the error of a response that the call does not accept.
    func refuse(_ response: APIResponse<Data>) throws -> Never {
        let kind = APIError.Kind.status(response.statusCode)
        let error = APIError(kind, response: response.http, body: response.value)
        guard !error.isCut else { throw error }
        throw try parsed(response, else: kind, by: call.apiRequest.parseError) ?? error
    }

    /// Parses a response, or throws an `APIError` of the given kind if it cannot be decoded.
    private func parsed<Output>(
        _ response: APIResponse<Data>, else kind: APIError.Kind,
        by parse: (APIResponse<Data>) throws -> Output
    ) throws -> Output {
        do {
            return try parse(response)
        } catch let cause as DecodingError {
            throw APIError(
                kind, response: response.http, body: response.value, underlying: cause)
        }
    }

    /// Returns the `APIError` or `CancellationError` for an error of the transport.
    func failure(_ error: any Error, after response: HTTPURLResponse? = nil) -> any Error {
        let isCanceled = error is CancellationError || (error as? URLError)?.code == .cancelled
        let known = error as? APIError
        guard known != nil || !isCanceled && !Task.isCancelled else { return CancellationError() }
        return (known ?? APIError(.transport, response: response, underlying: error)).naming(call)
    }
}

extension APIError {
    /// Returns the error with a call's request and decoder, unless it already has a request.
    ///
    /// An earlier error of the call, if given, adds what this one lacks.
    func naming(_ call: APICall, after last: APIError? = nil) -> APIError {
        guard request == nil else { return self }
        var error = APIError(
            kind, request: call.request, response: response ?? last?.response,
            body: body ?? last?.body, underlying: underlying ?? last?.underlying)
        error.decoder = call.apiRequest.decoder
        if let answered = call.context.answered, answered.isContinuation,
            answered.request.method != call.request.method
        {
            error.resultRequest = answered.request
        }
        return error
    }
}
