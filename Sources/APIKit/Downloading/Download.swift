import Foundation

extension CallRun {
    /// Downloads the body of the response to a file, and ends the call.
    func download(
        to file: URL, progress: ProgressHandler?
    ) async throws -> APIResponse<URL> {
        do {
            let response = try await ProgressReporter.run(reportingTo: progress) { report in
                let partial = try PartialFile(of: file)
                defer { partial.release() }
                let download = Download(run: self, partial: partial, report: report)
                let response = try await intercepted(download.send)
                switch response.value {
                case .complete(let writer): try await partial.finish(writer)
                case .unchanged: break
                case .refused(let refusal): try refuse(refusal)
                }
                return response.map { _ in file }
            }
            succeed(with: response)
            return response
        } catch {
            let error = (error as? APIError)?.naming(call) ?? error
            fail(with: error)
            throw error
        }
    }
}

/// One download to a file, which continues an earlier download if the server allows it.
struct Download: Sendable {
    /// The result of an attempt.
    enum Outcome: Sendable {
        /// The partial file holds the whole body.
        case complete(PartialFile.Writer)
        /// The response has no content, so the file at the destination stays.
        case unchanged
        /// The call does not accept the response, which has the start of its body.
        case refused(APIResponse<Data>)
    }

    let run: CallRun
    let partial: PartialFile
    let report: ProgressReporter

    /// Sends one attempt, and writes the body to the partial file.
    ///
    /// The call has passed all interceptors, so its request contains the credentials.
    @Sendable func send(_ sent: APICall) async throws -> APIResponse<Outcome> {
        try Task.checkCancellation()
        var sent = run.call.sending(sent)
        if sent.request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // Ranges count encoded bytes (RFC 9110, section 8.4), but the file holds decoded bytes.
            sent.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        let identity = RepresentationIdentity(of: sent)
        let writer = partial.startAttempt()
        let start = try identity.flatMap { try writer.start(of: $0) }
        var request = sent.request
        start?.requestRest(in: &request)
        let response = try await run.attempt(streaming: request)
        guard let start, [206, 416].contains(response.statusCode) else {
            let outcome = try await receive(response, to: request, for: identity, by: writer)
            return response.map { _ in outcome }
        }
        guard let range = start.rest(in: response.http) else {
            // The partial file holds no part of the current version.
            response.value.cancel()
            try writer.discard()
            return try await send(sent)
        }
        try await write(response, by: writer, after: start.size, upTo: range.end, of: range.total)
        return response.map { _ in .complete(writer) }
    }

    /// Writes the whole body, if the request type accepts the response and the response has a body.
    private func receive(
        _ response: APIResponse<ByteStream>, to request: URLRequest,
        for identity: RepresentationIdentity?, by writer: PartialFile.Writer
    ) async throws -> Outcome {
        guard run.accepts(response.http) else { return .refused(try await response.startOfBody()) }
        guard !response.http.omitsContent(for: request) else {
            response.value.cancel()
            return .unchanged
        }
        if response.statusCode == 206, request.value(forHTTPHeaderField: "Range") == nil {
            response.value.cancel()
            throw unusable(response.http, "it is partial, but the request has no Range")
        }
        var version: PartialVersion?
        if response.statusCode == 200, response.http.isIdentity, let identity,
            let validator = response.http.strongValidator
        {
            version = PartialVersion(
                of: identity, validator: validator, source: response.http.url)
        }
        try writer.restart(as: version)
        let length = response.http.bodyLength
        try await write(response, by: writer, after: 0, upTo: length, of: length)
        return .complete(writer)
    }

    /// Appends the body.
    ///
    /// `end` is the position in the resource where the body ends, if the response gives it.
    private func write(
        _ response: APIResponse<ByteStream>, by writer: PartialFile.Writer,
        after start: Int, upTo end: Int?, of total: Int?
    ) async throws {
        let total = total ?? end
        var size = start
        report.update(TransferProgress(completedBytes: size, totalBytes: total))
        for try await chunk in response.value {
            size += chunk.count
            if let end, size > end {
                try writer.discard()
                throw unusable(response.http, "its body is longer than its header fields say")
            }
            try writer.write(chunk)
            report.update(TransferProgress(completedBytes: size, totalBytes: total))
        }
        if let total, size != total {
            throw run.failure(URLError(.networkConnectionLost), after: response.http)
        }
        try writer.complete()
    }

    private func unusable(_ response: HTTPURLResponse, _ reason: String) -> any Error {
        let reason = [NSLocalizedFailureReasonErrorKey: reason]
        return run.failure(URLError(.badServerResponse, userInfo: reason), after: response)
    }
}
