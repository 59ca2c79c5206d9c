import Foundation

extension APIError {
    /// The largest part of a streamed body that an error carries, in bytes.
    static let bodyLimit = 1 << 16

    /// Returns the error with the given request, unless it already has a request.
    func naming(_ request: URLRequest) -> APIError {
        guard self.request == nil else { return self }
        return APIError(
            kind, request: request, response: response, body: body, underlying: underlying)
    }
}
