import Foundation

/// One download to a file, which continues an earlier one if the server allows it.
struct Download: Sendable {
    /// The result of an attempt.
    enum Outcome: Sendable {
        /// The partial file holds the whole body.
        case complete(PartialFileWriter)
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
    @Sendable func load(_ sent: APICall) async throws -> APIResponse<Outcome> {
        try Task.checkCancellation()
        var sent = run.call.sending(sent)
        if sent.request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // Ranges count encoded bytes (RFC 9110, section 8.4), but the file holds decoded ones.
            sent.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        let identity = RepresentationIdentity(of: sent)
        var request = sent.request
        let writer = partial.startAttempt()
        let start = try identity.flatMap { try writer.start(of: $0) }
        if let start {
            request.setValue("bytes=\(start.size)-", forHTTPHeaderField: "Range")
            request.setValue(start.version.validator, forHTTPHeaderField: "If-Range")
        }
        let response = try await run.attempt(streaming: request)
        if let start, [206, 416].contains(response.statusCode) {
            guard let range = start.rest(in: response.http) else {
                // The partial file holds no part of the current version.
                response.value.cancel()
                try writer.discard()
                return try await load(sent)
            }
            try await write(
                response, by: writer, after: start.size, upTo: range.end, of: range.total)
            return response.map { _ in .complete(writer) }
        }
        let outcome = try await receive(response, to: request, for: identity, by: writer)
        return response.map { _ in outcome }
    }

    /// Writes the whole body, if the request type accepts the response and the response has a body.
    private func receive(
        _ response: APIResponse<ByteStream>, to request: URLRequest,
        for identity: RepresentationIdentity?, by writer: PartialFileWriter
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
        let isWhole = response.statusCode == 200 && response.http.isIdentity
        let validator = isWhole ? response.http.strongValidator : nil
        let version = identity.flatMap { identity in
            validator.map {
                PartialVersion(of: identity, validator: $0, source: response.http.url)
            }
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
        _ response: APIResponse<ByteStream>, by writer: PartialFileWriter,
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
            do {
                try writer.write(chunk)
            } catch let error as APIError {
                // The file may hold a part of the chunk. Report this error, not the cleanup's.
                try? writer.discard()
                throw error
            }
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

extension PartialFileWriter.Start {
    /// Returns the range of a response if all its header fields agree that it is the rest (RFC
    /// 9110, section 15.3.7).
    fileprivate func rest(in response: HTTPURLResponse) -> ContentRange? {
        let validator = version.validator
        let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        // A server may omit the validator, or ignore the one in the request.
        let current = response.value(forHTTPHeaderField: name) ?? validator
        guard response.statusCode == 206, response.isIdentity, current == validator,
            version.matches(source: response.url),
            let range = ContentRange(response), range.first == size
        else { return nil }
        return range
    }
}
