import Foundation

/// One download to a file, which goes on where an earlier one broke off if the server allows it.
struct Download: Sendable {
    /// What a download has come to.
    enum Outcome: Sendable {
        case complete
        /// The start of the body of a response that was not accepted.
        case refused(Data)
    }

    let call: APICall
    let partial: PartialFile
    let report: ProgressReporter

    /// Sends one attempt, and writes what arrives.
    func load(
        _ sent: URLRequest, over transport: any HTTPClient, as attempt: Attempt
    ) async throws -> APIResponse<Outcome> {
        var request = sent
        if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            // The parts of a resource go together only as they are, and so do their sizes.
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        let start = mayResume(request) ? partial.start(of: resource) : nil
        if let start {
            request.setValue("bytes=\(start.size)-", forHTTPHeaderField: "Range")
            request.setValue(start.version.validator, forHTTPHeaderField: "If-Range")
        }
        let response = try await transport.stream(request, of: call, as: attempt)
        if let start {
            if start.isContinued(by: response.http) {
                try await write(response, after: start.size, as: start.version)
                return response.map { _ in .complete }
            }
            if [206, 416].contains(response.statusCode) {
                // What is there is no part of what the server has by now.
                response.value.cancel()
                try onDisk { try partial.remove() }
                return try await load(sent, over: transport, as: attempt.next())
            }
        }
        guard call.apiRequest.accepts(response.http) else {
            let body = try await response.value.data(upTo: APICall.refusalLimit)
            return response.map { _ in .refused(body) }
        }
        let isWhole = mayResume(request) && response.statusCode == 200 && response.http.isIdentity
        let validator = isWhole ? response.http.strongValidator : nil
        try await write(
            response, after: 0,
            as: validator.map { PartialFile.Version(resource: resource, validator: $0) })
        return response.map { _ in .complete }
    }

    /// The resource as a partial file knows it, without the secrets in its URL.
    private var resource: String { call.request.url.map { Redaction.text(of: $0) } ?? "" }

    private func mayResume(_ request: URLRequest) -> Bool {
        request.method == "GET" && request.value(forHTTPHeaderField: "Range") == nil
    }

    /// Writes what arrives after what is there, and keeps a part of it only if it has a version.
    private func write(
        _ response: APIResponse<ByteStream>, after start: Int, as version: PartialFile.Version?
    ) async throws {
        do {
            let file = try onDisk { try partial.open(appending: start > 0, as: version) }
            let whole = start > 0 ? ContentRange(response.http)?.total : nil
            let total = whole ?? response.http.bodyLength.map { start + $0 }
            var size = start
            report.update(TransferProgress(completedBytes: size, totalBytes: total))
            for try await chunk in response.value {
                try onDisk { try file.write(contentsOf: chunk) }
                size += chunk.count
                report.update(TransferProgress(completedBytes: size, totalBytes: total))
            }
            if let total, size != total {
                throw call.failure(URLError(.networkConnectionLost), after: response.http)
            }
            try onDisk {
                try file.close()
                try partial.finish()
            }
        } catch {
            let isOnDisk = (error as? APIError)?.kind == .file(partial.destination)
            // What broke the download matters more than what it may leave behind.
            if version == nil || isOnDisk { try? partial.remove() }
            throw error
        }
    }

    private func onDisk<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw APIError(
                .file(partial.destination), request: call.request, underlying: error)
        }
    }
}

extension PartialFile.Start {
    /// Whether a response is the rest, by all that it says of itself (RFC 9110, section 15.3.7).
    fileprivate func isContinued(by response: HTTPURLResponse) -> Bool {
        let name = version.validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        // A server may leave the state out, or take no notice of the one that it was asked for.
        let state = response.value(forHTTPHeaderField: name) ?? version.validator
        return response.statusCode == 206 && response.isIdentity && state == version.validator
            && ContentRange(response)?.first == size
    }
}

extension HTTPURLResponse {
    /// Whether the body is the resource as it is, and not compressed.
    fileprivate var isIdentity: Bool {
        value(forHTTPHeaderField: "Content-Encoding").map { $0.lowercased() == "identity" } ?? true
    }

    /// The size of the body as it is handed out, if that is known.
    fileprivate var bodyLength: Int? {
        isIdentity ? value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) } : nil
    }
}
