import Foundation

/// A URL session with a say about redirects.
struct URLSessionTransport: HTTPClient {
    let session: URLSession
    let redirects: RedirectPolicy

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
        let (source, total) = try await Blocking.run {
            let source = try body.uploadSource()
            return (source, try source.size())
        }
        // Who is told must not hold up the loading system, which tells on a thread of its own.
        let queue = DispatchQueue(label: "APIKit.upload.progress")
        let upload = StreamTransfer.Upload(source: source) { count in
            queue.async { progress(TransferProgress(completedBytes: count, totalBytes: total)) }
        }
        let transfer = StreamTransfer(in: session, redirects: redirects, upload: upload)
        let (stream, response) = try await transfer.send(request)
        let answer = (try await stream.data(), response)
        // A server that refuses does not always wait for all of it, and no mock is told of any.
        if let http = response as? HTTPURLResponse, (200..<300).contains(http.statusCode) {
            upload.didSend(total)
        }
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        return answer
    }
}
