import Foundation

extension APIClient {
    /// Downloads the response to a request into a file.
    ///
    /// ```swift
    /// try await client.download(ReportRequest(), with: 2026, to: file) { @MainActor progress in
    ///     bar.fraction = progress.fraction
    /// }
    /// ```
    ///
    /// The body is written to a partial file beside the destination, `.NAME.partial`, which then
    /// replaces the destination in one step. If the download fails, an existing file stays. The new
    /// file keeps the permissions of the old one. Without an old one, only this user can read it.
    ///
    /// A download that fails can be resumed by another attempt of ``Retry`` or a later call, even
    /// after the next launch of the app. The server has to send a strong `ETag`, or without any `ETag`
    /// a `Last-Modified` at least one second before its `Date`. To pause a download, cancel its task.
    /// The URL, the account and the header fields identify the
    /// representation; only a salted hash of them is stored. A later call does not resume a call
    /// whose credentials have no known account. Without an account, it resumes only a call over a
    /// `URLSession`. If the resource or a cookie has changed, the download starts over.
    ///
    /// The partial file is locked until the download ends. iOS ends an app that is suspended while it
    /// locks a file in an app-group container (`0xDEAD10CC`): download into the app's own.
    ///
    /// If an interceptor starts an attempt while one is running, that throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - request: The request type. It accepts the response or does not, and parses nothing.
    ///   - input: The input to make the request from.
    ///   - file: The URL of the file, whose name has at most 243 bytes, in a directory that exists, on
    ///     a volume that supports `flock`. Only one download at a time can write to it.
    ///   - progress: Receives each step in order, on its actor or else on any thread, the last one
    ///     before this function returns. Begin a closure that changes a view with
    ///     `{ @MainActor progress in`. The count decreases only if the download starts over.
    /// - Returns: The head of the response, with the URL of the file.
    /// - Throws: The same errors as ``load(_:with:)``, except the errors of `parseResponse`, and an
    ///   ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be written.
    @discardableResult
    public func download<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType,
        to file: URL,
        progress: ProgressHandler? = nil
    ) async throws -> APIResponse<URL> {
        try await CallRun(of: request, with: input, by: self)
            .download(to: file, progress: progress)
    }

    /// Downloads the response to a request that needs no input, as ``download(_:with:to:progress:)``.
    @discardableResult
    public func download<Request: APIRequest>(
        _ request: Request,
        to file: URL,
        progress: ProgressHandler? = nil
    ) async throws -> APIResponse<URL> where Request.RequestDataType == Void {
        try await download(request, with: (), to: file, progress: progress)
    }
}
