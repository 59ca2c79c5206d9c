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
    /// The body is written to a partial file beside the destination, `.NAME.partial`. When the body
    /// is complete and the interceptors have returned, the file replaces the destination in one
    /// step. Until then, and if the download fails, an existing file at the destination stays.
    /// Memory use does not depend on the size. The new file has the permissions of the file that it
    /// replaces, or the usual permissions of a new file.
    ///
    /// **A download that fails can be resumed.** If the server identifies the version of the
    /// resource, by a strong `ETag` or a `Last-Modified`, the partial file stays. The next download
    /// of the same representation to the same file requests the rest, by `Range` and `If-Range`
    /// (RFC 9110, section 14). That may be another attempt of ``Retry`` or a later call, even after
    /// the next launch of the app. If the resource has changed, the download starts over. To pause
    /// a download, cancel its task.
    ///
    /// The URL, the account and the header fields identify the representation; only a salted hash
    /// of them is stored. A later call does not resume a call whose credentials have no known
    /// account. The same applies if ``HTTPTransport/addedFields(for:)`` is `nil`. If the URL
    /// redirects to a different resource than before, the download starts over.
    ///
    /// **The partial file is locked** until the download ends. iOS ends an app that is suspended
    /// while it locks a file in an app-group container (`0xDEAD10CC`). Download into the app's own
    /// container and move the file, or cancel the download before the app is suspended.
    ///
    /// If an interceptor starts an attempt while another one is running, the earlier attempt throws
    /// `CancellationError`.
    ///
    /// **A response without content.** A response to HEAD and an accepted 304 neither change nor
    /// create a file at the destination. A 204 creates an empty file. A 206 is accepted only if the
    /// request has a `Range`.
    ///
    /// - Parameters:
    ///   - request: The request type. It accepts or refuses the response, and parses nothing.
    ///   - input: The input to make the request from.
    ///   - file: The URL of the file, in a directory that exists, on a volume that supports
    ///     `flock`. Only one download at a time can write to it, even across processes. A symbolic
    ///     link is replaced.
    ///   - progress: Receives each step, in order and one at a time, on its actor or else on any
    ///     thread, the last one before this function returns. The byte count never decreases, with
    ///     one exception: if the download starts over and the new body is shorter, the last step is
    ///     lower.
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

    /// Downloads the response to a request that needs no input into a file.
    ///
    /// - Throws: The same errors as ``download(_:with:to:progress:)``.
    @discardableResult
    public func download<Request: APIRequest>(
        _ request: Request,
        to file: URL,
        progress: ProgressHandler? = nil
    ) async throws -> APIResponse<URL> where Request.RequestDataType == Void {
        try await download(request, with: (), to: file, progress: progress)
    }
}
