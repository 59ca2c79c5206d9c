import Foundation

extension APIClient {
    /// Uploads a body with a request, and loads the output.
    ///
    /// ```swift
    /// let photo = try await client.upload(
    ///     AddPhoto(), with: album, from: .file(url, contentType: "image/jpeg")
    /// ) { progress in
    ///     print(progress.fraction ?? 0)
    /// }
    /// ```
    ///
    /// A file, or a form with files, is read in chunks, so memory use does not depend on its size.
    /// Each attempt of ``Retry`` reads it again.
    ///
    /// - Parameters:
    ///   - request: The request type. Its request must have no body, and must not be GET or HEAD. If
    ///     the request sets no `Content-Type`, the client sets that of the body.
    ///   - input: The input to make the request from.
    ///   - body: The body to send.
    ///   - progress: Called with each step, in order and one at a time, on any thread. If the status
    ///     is from 200 through 299, it is called with the whole size before this function returns.
    ///     After an error, it may still be called.
    /// - Returns: The parsed output.
    /// - Throws: The same errors as ``load(_:with:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    @discardableResult
    public func upload<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> Request.ResponseDataType {
        let run = try CallRun(of: request, with: input, by: self) { try $0.prepareToUpload(body) }
        let report = ProgressReporter(progress)
        return try await run.load(request) { [transport] request in
            try await transport.upload(request, from: body, progress: report.update)
        }.value
    }

    /// Uploads a body with a request that needs no input, and loads the output.
    ///
    /// - Throws: The same errors as ``upload(_:with:from:progress:)``.
    @discardableResult
    public func upload<Request: APIRequest>(
        _ request: Request,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> Request.ResponseDataType where Request.RequestDataType == Void {
        try await upload(request, with: (), from: body, progress: progress)
    }
}

extension URLRequest {
    /// Checks that the request can upload a body, and sets the content type of the body.
    fileprivate mutating func prepareToUpload(_ body: HTTPBody) throws {
        guard httpBody == nil, httpBodyStream == nil else {
            throw APIError(.invalidRequest("it already has a body, and cannot upload another"))
        }
        guard ![.get, .head].contains(method) else {
            throw APIError(.invalidRequest("a \(method) request cannot upload a body"))
        }
        try setHeaders(["Content-Type": body.contentType], replacing: false)
    }
}
