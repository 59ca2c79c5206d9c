import Foundation

/// A transport over a URL session, with a redirect policy.
struct URLSessionTransport: HTTPClient, Hashable {
    let session: URLSession
    let redirects: RedirectPolicy
    /// Where forms with files are copied to.
    var temporaryDirectory = FileManager.default.temporaryDirectory

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await DataTransfer(in: session, redirects: redirects).send(request)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await StreamTransfer(in: session, redirects: redirects).send(request)
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
        // Who is told must not hold up the loading system, which tells on a thread of its own.
        let queue = DispatchQueue(label: "APIKit.upload.progress")
        let upload = StreamTransfer.Upload(source: source, size: size) { count in
            // The system also counts what it sends once more to answer a challenge.
            let step = TransferProgress(completedBytes: min(count, size), totalBytes: size)
            queue.async { progress(step) }
        }
        let answer: (Data, URLResponse)
        do {
            let (stream, response) = try await StreamTransfer(
                in: session, redirects: redirects, upload: upload
            ).send(request)
            answer = (try await stream.data(), response)
        } catch let error as URLError {
            // The system does not say that a file is not any longer what it was.
            try await Blocking.run { _ in try source.checkSize(size) }
            throw error
        }
        // A server that refuses does not always wait for all of it, and no mock is told of any.
        if let http = answer.1 as? HTTPURLResponse, (200..<300).contains(http.statusCode) {
            upload.didSend(size)
        }
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        return answer
    }
}
