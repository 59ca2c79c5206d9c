import Foundation

/// A transport over a URL session, with a redirect policy.
///
/// The folders `Apple` and `Linux` have a `SessionLoader` for each platform.
struct URLSessionTransport: HTTPTransport, Hashable {
    let session: URLSession
    let redirects: RedirectPolicy
    /// Where forms with files are copied to.
    var temporaryDirectory = FileManager.default.temporaryDirectory

    private var loader: SessionLoader { SessionLoader(session: session, redirects: redirects) }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await loader.send(request)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await loader.stream(request)
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
            // After a challenge, the system counts the bytes that it sends again.
            let step = TransferProgress(completedBytes: min(count, size), totalBytes: size)
            queue.async { progress(step) }
        }
        let result: (Data, URLResponse)
        do {
            result = try await loader.upload(request, upload)
        } catch let error as URLError {
            // The system does not report that a file has become shorter.
            try await Blocking.run { _ in try source.checkSize(size) }
            throw error
        }
        // A server may refuse before it has read the whole body, and mocks receive no progress.
        if let http = result.1 as? HTTPURLResponse, (200..<300).contains(http.statusCode) {
            upload.didSend(size)
        }
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        return result
    }
}
