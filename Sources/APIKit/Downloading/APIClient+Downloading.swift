import Foundation

extension APIClient {
    /// Downloads the response to a request into a file.
    ///
    /// ```swift
    /// try await client.download(ReportRequest(), with: 2026, to: file) { progress in
    ///     print(progress.completedBytes, progress.totalBytes ?? 0)
    /// }
    /// ```
    ///
    /// What arrives is written beside the file, as `.NAME.partial`, and moved into its place in one
    /// step when it is complete. A file that is there already is replaced then, and stays as it is
    /// until then and if the download fails. Memory use does not depend on the size.
    ///
    /// **It goes on where it broke off.** If the server names the state of the resource, by a strong
    /// `ETag` or a `Last-Modified`, what has arrived of a download that broke or was cancelled stays
    /// beside the file. The next download of that URL to that file asks for the rest, by `Range` and
    /// `If-Range` (RFC 9110, section 14): a further attempt of ``Retry``, or another call, also
    /// after the app has been started anew. A resource that has changed meanwhile starts over. To
    /// pause a download is to cancel its task. Where the server does not name the state, nothing
    /// stays.
    ///
    /// - Parameters:
    ///   - request: The request type. It does not parse anything; it only accepts the response.
    ///   - input: The input to make the request from.
    ///   - file: The URL of the file, in a directory that exists. One download at a time can go to
    ///     it.
    ///   - progress: Told of each step, one at a time, on any thread; never backwards, but for the
    ///     end of a download that started over and was shorter.
    /// - Returns: The head of the response, with the URL of the file.
    /// - Throws: The same errors as ``load(_:with:)``, apart from those of parsing; for a file that
    ///   cannot be written one of kind ``APIError/Kind/file(_:)``.
    @discardableResult
    public func download<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType,
        to file: URL,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> APIResponse<URL> {
        let call = try makeCall(of: request, with: input)
        return try await observe(call) { observers in
            let claim = try DownloadClaim(to: file, for: call.request)
            defer { claim.release() }
            let download = Download(
                call: call, partial: PartialFile(of: file), report: ProgressReporter(progress))
            let response = try await send(call, observers: observers) { [transport] in
                try await download.load($0.request, over: transport, as: $1)
            }
            if case .refused(let body) = response.value {
                throw call.refusal(response.http, body: body)
            }
            return response.map { _ in file }
        }
    }

    /// Downloads the response to a request that needs no input into a file.
    ///
    /// - Throws: The same errors as ``download(_:with:to:progress:)``.
    @discardableResult
    public func download<Request: APIRequest>(
        _ request: Request,
        to file: URL,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> APIResponse<URL> where Request.RequestDataType == Void {
        try await download(request, with: (), to: file, progress: progress)
    }
}
