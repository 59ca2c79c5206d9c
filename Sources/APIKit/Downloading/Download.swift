import Foundation

extension CallRun {
    func download(to file: URL, progress: ProgressHandler?) async throws -> APIResponse<URL> {
        try await observed {
            let response = try await ProgressReporter.run(reportingTo: progress) { report in
                let partial = try PartialFile(of: file)
                defer { partial.release() }
                let download = Download(run: self, partial: partial, report: report)
                let response = try await intercepted(download.send)
                switch response.value {
                case .complete(let attempt): try await partial.finish(attempt)
                case .unchanged: break
                case .refused(let refusal): try refuse(refusal)
                }
                return response.map { _ in file }
            }
            succeed(with: response)
            return response
        }
    }
}

/// One download to a file, which continues an earlier download if the server allows it.
struct Download: Sendable {
    enum Outcome: Sendable {
        case complete(attempt: Int)
        case unchanged
        case refused(APIResponse<Data>)
    }

    /// What a request selects, if its download can be resumed.
    private struct Representation {
        let identity: RequestIdentity
        /// Whether a later call can have the same identity, which credentials without an account prevent.
        let outlivesCall: Bool

        /// Creates the representation that the transport receives a call for.
        init?(of call: APICall) {
            let (request, fields) = (call.request, call.sentFields)
            guard request.method == .get, request.url != nil, request.httpBody == nil,
                request.httpBodyStream == nil, fields["range"] == nil
            else { return nil }
            let hasCredentials = fields.contains(where: Redaction.hides)
            outlivesCall =
                call.account != nil || !hasCredentials && call.sessionTransport != nil
            identity = RequestIdentity(ofStored: call, hasCredentials: !outlivesCall)
        }
    }

    let run: CallRun
    let partial: PartialFile
    let report: ProgressReporter.Report

    @Sendable func send(_ sent: APICall) async throws -> APIResponse<Outcome> {
        try Task.checkCancellation()
        var sent = run.call.sending(sent)
        if sent.request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // Ranges count encoded bytes (RFC 9110, section 8.4), but the file holds decoded bytes.
            sent.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        let representation = Representation(of: sent)
        let (attempt, start) = try partial.startAttempt(of: representation?.identity)
        var ranged = sent
        if let start {
            ranged.request.setValue("bytes=\(start.size)-", forHTTPHeaderField: "Range")
            ranged.request.setValue(start.version.validator, forHTTPHeaderField: "If-Range")
        }
        let response = try await run.attempt(streaming: ranged)
        // Some servers send a part with the status 200.
        let isPart = response.http.value(forHTTPHeaderField: "Content-Range") != nil
        guard let start,
            [206, 416].contains(response.statusCode) || response.statusCode == 200 && isPart
        else {
            let outcome = try await receive(
                response, to: ranged.request, for: representation, by: attempt)
            return response.map { _ in outcome }
        }
        guard let range = start.version.rest(after: start.size, in: response.http) else {
            response.value.cancel()
            try partial.discard(by: attempt)
            return try await send(sent)
        }
        let total = range.total ?? start.version.total
        try await write(response, by: attempt, after: start.size, upTo: range.end, of: total)
        return response.map { _ in .complete(attempt: attempt) }
    }

    /// Writes the whole body, if there is one and the request type accepts the response.
    private func receive(
        _ response: APIResponse<ByteStream>, to request: URLRequest,
        for representation: Representation?, by attempt: Int
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
        let length = response.http.bodyLength
        var version: PartialVersion?
        if response.statusCode == 200, response.http.isIdentity, let representation,
            let validator = response.http.strongValidator
        {
            version = PartialVersion(
                of: representation.identity, isStored: representation.outlivesCall,
                validator: validator, total: length, source: response.http.url)
        }
        try partial.restart(as: version, by: attempt)
        try await write(response, by: attempt, after: 0, upTo: length, of: length)
        return .complete(attempt: attempt)
    }

    /// Appends the body, which ends at the position `end` of the resource, if that is known.
    private func write(
        _ response: APIResponse<ByteStream>, by attempt: Int,
        after start: Int, upTo end: Int?, of total: Int?
    ) async throws {
        let total = total ?? end
        var size = start
        report(TransferProgress(completedBytes: size, totalBytes: total))
        for try await chunk in response.value {
            size += chunk.count
            if let end, size > end {
                try partial.discard(by: attempt)
                throw unusable(response.http, "its body is longer than its header fields say")
            }
            try partial.write(chunk, by: attempt)
            report(TransferProgress(completedBytes: size, totalBytes: total))
        }
        if let total, size != total {
            throw run.failure(URLError(.networkConnectionLost), after: response.http)
        }
        try partial.complete(by: attempt)
        // A new step if the total was unknown, or if the download has started over, and has fewer bytes.
        report(TransferProgress(completedBytes: size, totalBytes: size))
    }

    private func unusable(_ response: HTTPURLResponse, _ reason: String) -> any Error {
        let reason = [NSLocalizedFailureReasonErrorKey: reason]
        return run.failure(URLError(.badServerResponse, userInfo: reason), after: response)
    }
}
