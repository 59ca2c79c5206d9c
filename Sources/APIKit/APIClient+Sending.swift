import Foundation

extension APIClient {
    /// Sends a call through the interceptors and the transport.
    func send(_ call: APICall, observers: [any APIObserver]) async throws -> APIResponse<Data> {
        let attempts = Locked(0)
        return try await intercept(call) { [transport] sent in
            try Task.checkCancellation()
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            for observer in observers { observer.requestSent(sent.request, attempt: attempt) }
            let response = try await transport.response(to: sent.request, of: call)
            for observer in observers { observer.responseReceived(response, attempt: attempt) }
            return response
        }
    }

    private func intercept<Body: Sendable>(
        _ call: APICall,
        transport: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        var next = transport
        for interceptor in interceptors.reversed() {
            next = { [next] call in try await interceptor.intercept(call, next: next) }
        }
        return try await next(call)
    }
}

extension HTTPClient {
    /// Sends a request, and gives whatever keeps the answer away the one shape that it has here.
    fileprivate func response(
        to request: URLRequest,
        of call: APICall
    ) async throws -> APIResponse<Data> {
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await send(request)
        } catch let error as APIError {
            throw error
        } catch {
            let isCancellation =
                error is CancellationError || (error as? URLError)?.code == .cancelled
                || Task.isCancelled
            throw isCancellation
                ? CancellationError()
                : APIError(.transport, request: call.request, underlying: error)
        }
        guard let http = response as? HTTPURLResponse else {
            throw APIError(.notHTTP, request: call.request, body: data)
        }
        return APIResponse(value: data, http: http)
    }
}
