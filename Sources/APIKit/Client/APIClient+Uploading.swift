import Foundation

extension APIClient {
    /// Uploads a body with a request, and loads the output.
    ///
    /// ```swift
    /// let photo = try await client.upload(
    ///     AddPhoto(), with: album, from: .file(url, contentType: "image/jpeg")
    /// ) { @MainActor progress in
    ///     bar.fraction = progress.fraction
    /// }
    /// ```
    ///
    /// A file, or a form with files, is read in chunks, so memory use does not depend on its size.
    /// Each attempt of ``Retry`` reads it again. A ``HTTPBody/stream(_:length:contentType:)`` is sent
    /// once, as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request type. Its request must have no body, and must not be GET or HEAD. If
    ///     the request sets no `Content-Type`, the client sets the body's.
    ///   - input: The input to make the request from.
    ///   - body: The body to send.
    ///   - progress: Receives each step, in order and one at a time, on its actor or else on any
    ///     thread. Begin a closure that changes a view with `{ @MainActor progress in`. Without it, the
    ///     compiler reports an error, or a warning in Swift 5 mode. If the status is from 200 through
    ///     299, it receives the whole size before this function returns. A slow handler does not delay the
    ///     upload.
    /// - Returns: The parsed output.
    /// - Throws: The same errors as ``load(_:with:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    @discardableResult
    public func upload<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType,
        from body: HTTPBody,
        progress: ProgressHandler? = nil
    ) async throws -> Request.ResponseDataType {
        let run = try CallRun(of: request, with: input, by: self, uploading: body)
        return try await ProgressReporter.run(reportingTo: progress) { report in
            try await run.load(request) { [sender] request in
                try await sender.upload(request, from: body, progress: report)
            }.value
        }
    }

    /// Uploads a body with a request that needs no input, and loads the output.
    ///
    /// - Throws: The same errors as ``upload(_:with:from:progress:)``.
    @discardableResult
    public func upload<Request: APIRequest>(
        _ request: Request,
        from body: HTTPBody,
        progress: ProgressHandler? = nil
    ) async throws -> Request.ResponseDataType where Request.RequestDataType == Void {
        try await upload(request, with: (), from: body, progress: progress)
    }
}
