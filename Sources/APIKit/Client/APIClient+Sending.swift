import Foundation

extension APIClient {
    /// Makes the call of a request type: its request, below the base URL and with the headers.
    func makeCall<Request: APIRequest>(
        of request: Request,
        with input: Request.RequestDataType
    ) throws -> APICall {
        var urlRequest = try request.makeRequest(from: input)
        guard let url = urlRequest.url else {
            throw APIError(.invalidRequest("it has no URL"), request: urlRequest)
        }
        do {
            urlRequest.url = try url.below(baseURL)
            try urlRequest.setHeaders(headers, replacing: false)
        } catch let error as APIError {
            throw error.naming(urlRequest)
        }
        var call = APICall(request: urlRequest, apiRequest: request)
        call.baseURL = baseURL
        call.transport = transport
        return call
    }

    /// Runs a call, and tells its observers how it begins and ends.
    func observe<Value: Sendable>(
        _ call: APICall,
        _ run: ([any APIObserver]) async throws -> APIResponse<Value>
    ) async throws -> APIResponse<Value> {
        let observers = observers(call)
        for observer in observers { observer.callStarted() }
        do {
            let response = try await run(observers)
            for observer in observers { observer.callSucceeded(with: response) }
            return response
        } catch {
            for observer in observers { observer.callFailed(with: error) }
            throw error
        }
    }

    /// Sends a call through the interceptors, and what comes out of them by a closure, which also
    /// tells the observers of it.
    func send<Body: Sendable>(
        _ call: APICall,
        observers: [any APIObserver],
        transmit: @escaping @Sendable (APICall, Attempt) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        let attempts = Locked(0)
        do {
            return try await intercept(call) { sent in
                try Task.checkCancellation()
                return try await transmit(sent, Attempt(counting: attempts, observers: observers))
            }
        } catch let error as APIError {
            // An interceptor need not know the request without what others have put into it.
            throw error.naming(call.request)
        }
    }

    private func intercept<Body: Sendable>(
        _ call: APICall,
        transport: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        var next = transport
        for interceptor in interceptors.reversed() {
            next = { [next] call in
                try await interceptor.intercept(call) { try await next(call.sending($0)) }
            }
        }
        return try await next(call)
    }
}

extension APICall {
    /// The call with the request of another one, which an interceptor may have created.
    ///
    /// A call that an interceptor has created lacks the transport, whose cookies tell users apart,
    /// and the token of earlier attempts.
    fileprivate func sending(_ other: APICall) -> APICall {
        var call = self
        call.request = other.request
        call.account = other.account
        return call
    }
}
