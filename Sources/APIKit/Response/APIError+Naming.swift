import Foundation

extension APIError {
    /// How much of a stream's body an error carries, in bytes.
    static let bodyLimit = 1 << 16

    /// Returns the error with a request, unless it has one.
    func naming(_ request: URLRequest) -> APIError {
        guard self.request == nil else { return self }
        return APIError(
            kind, request: request, response: response, body: body, underlying: underlying)
    }
}
