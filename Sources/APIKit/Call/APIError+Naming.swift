import Foundation

extension APIError {
    /// Returns the error with the request and the decoder of a call, unless it has a request.
    func naming(_ call: APICall) -> APIError {
        guard request == nil else { return self }
        var error = APIError(
            kind, request: call.request, response: response, body: body, underlying: underlying)
        error.decoder = call.apiRequest.decoder
        return error
    }
}
