import Foundation

extension CallRun {
    /// Returns the `APIError` or `CancellationError` for an error of the transport.
    func failure(_ error: any Error, after response: HTTPURLResponse? = nil) -> any Error {
        if let error = error as? APIError { return error.naming(call) }
        let isCancelled = error is CancellationError || (error as? URLError)?.code == .cancelled
        guard !isCancelled, !Task.isCancelled else { return CancellationError() }
        return APIError(.transport, response: response, underlying: error).naming(call)
    }

    /// Returns the error of a response that is refused or cannot be decoded.
    func error(
        _ kind: APIError.Kind, of response: APIResponse<Data>, _ cause: DecodingError? = nil
    ) -> APIError {
        APIError(kind, response: response.http, body: response.value, underlying: cause)
            .naming(call)
    }
}
