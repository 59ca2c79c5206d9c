import Foundation

extension APIClient {
    /// Loads the output of a request for an input.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The parsed output.
    /// - Throws: An ``APIError``, or the error that the request type or one of your interceptors
    ///   throws. It is `CancellationError` if the task is canceled before the response has arrived, or if
    ///   the session cancels the request, as when a delegate rejects a challenge.
    public func load<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType
    ) async throws -> Request.ResponseDataType {
        try await response(to: request, with: input).value
    }

    /// Loads the output of a request that needs no input.
    public func load<Request: APIRequest>(
        _ request: Request
    ) async throws -> Request.ResponseDataType where Request.RequestDataType == Void {
        try await load(request, with: ())
    }

    /// Loads the output of a request together with the response head.
    ///
    /// - Throws: The same errors as ``load(_:with:)``.
    public func response<Request: APIRequest>(
        to request: Request,
        with input: Request.RequestDataType
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await CallRun(of: request, with: input, by: self).load(request)
    }

    /// Loads the output of a request that needs no input, together with the response head.
    ///
    /// - Throws: The same errors as ``load(_:with:)``.
    public func response<Request: APIRequest>(
        to request: Request
    ) async throws -> APIResponse<Request.ResponseDataType>
    where Request.RequestDataType == Void {
        try await response(to: request, with: ())
    }
}
