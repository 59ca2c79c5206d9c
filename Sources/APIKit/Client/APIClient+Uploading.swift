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
    /// A file, or a form with files, is read piece by piece, so memory use does not depend on its
    /// size. Each attempt of ``Retry`` reads it again.
    ///
    /// - Parameters:
    ///   - request: The request type. Its request is neither GET nor HEAD, and has no body. Unless
    ///     it sets a `Content-Type`, that of the body is sent.
    ///   - input: The input to make the request from.
    ///   - body: The body to send.
    ///   - progress: Receives each step, in order and one at a time, on any thread. For a response
    ///     with a status from 200 through 299, it receives the whole size before the output is
    ///     returned. It may receive one more step after an error.
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
    /// Sets the content type of a body that the transport sends with the request.
    fileprivate mutating func prepareToUpload(_ body: HTTPBody) throws {
        guard httpBody == nil, httpBodyStream == nil else {
            throw APIError(.invalidRequest("it already has a body, and cannot upload another"))
        }
        guard ![.get, .head].contains(method) else {
            throw APIError(.invalidRequest("a \(method) request has no body to upload"))
        }
        try setHeaders(["Content-Type": body.contentType], replacing: false)
    }
}
