import Foundation

/// A transport over a URL session, with a redirect policy.
///
/// The folders `Apple` and `Linux` implement `load` and `stream` for each platform.
struct URLSessionTransport: HTTPTransport, Hashable {
    let session: URLSession
    var redirects = RedirectPolicy.follow
    /// The directory for temporary copies of forms with files.
    var temporaryDirectory = FileManager.default.temporaryDirectory

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await load(request)
    }

    func addedFields(for request: URLRequest) -> [String: String]? {
        let configuration = session.configuration
        var fields: [String: String] = [:]
        for (name, value) in configuration.httpAdditionalHeaders ?? [:]
        where request.value(forHTTPHeaderField: "\(name)") == nil {
            fields["\(name)".lowercased()] = "\(value)"
        }
        if request.httpShouldHandleCookies, configuration.httpShouldSetCookies,
            let url = request.url,
            let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        {
            let pairs = cookies.map { "\($0.name)=\($0.value)" }.sorted()
            fields["cookie"] = ([fields["cookie"]].compactMap { $0 } + pairs)
                .joined(separator: "; ")
        }
        return fields
    }

    func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        let (source, size) = try await Blocking.run { checkCancellation in
            let source = try body.uploadSource(
                in: temporaryDirectory, checkCancellation: checkCancellation)
            return (source, try source.size())
        }
        // Progress handlers run on a separate queue, so a slow handler does not block loading.
        let queue = DispatchQueue(label: "APIKit.upload.progress")
        let upload = Upload(source: source, size: size) { count in
            // After a challenge, the system resends bytes and counts them again.
            let step = TransferProgress(completedBytes: min(count, size), totalBytes: size)
            queue.async { progress(step) }
        }
        let result: (Data, URLResponse)
        do {
            result = try await load(request, upload)
        } catch let error as URLError {
            // The system does not report that a file has become shorter.
            try await Blocking.run { _ in try source.checkSize(size) }
            throw error
        }
        // Only a 2xx means that the server has read the whole body.
        if let http = result.1 as? HTTPURLResponse, (200..<300).contains(http.statusCode) {
            upload.didSend(size)
        }
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        return result
    }
}

/// The body of an upload, and the closure that receives its progress.
struct Upload: Sendable {
    let source: UploadSource
    let size: Int
    /// Receives the number of bytes that the session has sent so far.
    let didSend: @Sendable (Int) -> Void
}
