import Foundation

extension APICall {
    /// Gives what came back, or kept it away, the one shape that it has in the interceptors.
    func response<Body: Sendable>(
        _ transmit: () async throws -> (Body, URLResponse)
    ) async throws -> APIResponse<Body> {
        let (body, response): (Body, URLResponse)
        do {
            (body, response) = try await transmit()
        } catch {
            throw failure(error)
        }
        guard let http = response as? HTTPURLResponse else {
            throw APIError(.notHTTP, request: request, body: body as? Data)
        }
        return APIResponse(value: body, http: http)
    }

    /// The one shape of an error of a transport, before or after the head of the response.
    func failure(_ error: any Error, after response: HTTPURLResponse? = nil) -> any Error {
        if let error = error as? APIError { return error.naming(request) }
        let isCancellation =
            error is CancellationError || (error as? URLError)?.code == .cancelled
            || Task.isCancelled
        return isCancellation
            ? CancellationError()
            : APIError(.transport, request: request, response: response, underlying: error)
    }

    /// How much of the body of a refused response is read.
    static let refusalLimit = 1 << 16

    /// Returns the error for a response that was refused, with the start of its body.
    func refusal(_ response: HTTPURLResponse, body: Data) -> APIError {
        APIError(.status(response.statusCode), request: request, response: response, body: body)
    }
}

extension APIError {
    /// The error with a request, unless it names one already.
    func naming(_ request: URLRequest) -> APIError {
        self.request == nil
            ? APIError(
                kind, request: request, response: response, body: body, underlying: underlying)
            : self
    }
}
