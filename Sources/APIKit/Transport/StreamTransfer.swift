import Foundation

/// A load of a response as it arrives, and of a request whose sending is watched.
final class StreamTransfer: NSObject, TransferTasks, URLSessionDataDelegate {
    /// The body to send, and who hears how many bytes of it have been sent.
    struct Upload: Sendable {
        let source: UploadSource
        let size: Int
        let didSend: @Sendable (Int) -> Void
    }

    /// The task that the answer comes from.
    private struct Current {
        let task: Int
        let hop: Int
        /// A response that is not handed out before it is known to be the last.
        var heldBack: URLResponse?
    }

    let transfer: Transfer
    private let upload: Upload?
    private let head = Waiter<URLResponse>()
    private let chunks = ChunkBuffer()
    private let current = Locked<Current?>(nil)

    init(in session: URLSession, redirects: RedirectPolicy, upload: Upload? = nil) {
        transfer = Transfer(in: session, redirects: redirects)
        self.upload = upload
    }

    /// Sends a request and waits for the head of the response.
    func send(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let response = try await withTaskCancellationHandler {
            transfer.start(request, by: self) { [head, chunks] result in
                switch result {
                case .success(let (body, response)):
                    head.answer(.success(response))
                    chunks.append(body)
                    chunks.finish(.success(()))
                case .failure(let error):
                    head.answer(.failure(error))
                    chunks.finish(.failure(error))
                }
            }
            return try await head.value
        } onCancel: {
            transfer.cancel()
        }
        return (ByteStream(self), response)
    }

    func makeTask(for request: URLRequest, in session: URLSession, hop: Int) -> URLSessionTask {
        // A redirect that makes a GET of the request drops the body too.
        let task =
            if let upload, request.httpMethod != "GET" {
                switch upload.source {
                case .data(let data):
                    session.uploadTask(with: request, from: data)
                case .file(let url):
                    session.uploadTask(with: request, from: url, size: upload.size)
                case .temporary(let file):
                    session.uploadTask(with: request, from: file.url, size: upload.size)
                }
            } else {
                session.dataTask(with: request)
            }
        current.withLock { $0 = Current(task: task.taskIdentifier, hop: hop) }
        becomeDelegate(of: task)
        return task
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        // On Linux an interim response is told of like the final one (RFC 9110, section 15.2).
        if let response = response as? HTTPURLResponse, response.statusCode < 200 { return }
        let isHeldBack = mayStartOver(after: response)
        let isExpected = ifCurrent(dataTask) { current in
            // The answer to a challenge makes the task start over.
            if current.heldBack != nil { chunks.removeAll() }
            current.heldBack = isHeldBack ? response : nil
        }
        if isExpected, !isHeldBack { head.answer(.success(response)) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if ifCurrent(dataTask, { _ in }) { chunks.append(data) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        upload?.didSend(Int(totalBytesSent))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        var heldBack: URLResponse?
        guard ifCurrent(task, { heldBack = $0.heldBack }) else { return }
        if let error {
            transfer.finish(.failure(error.asOnEveryPlatform(hasHead: task.response != nil)))
        } else if let response = heldBack ?? task.response {
            transfer.finish(.success((unheardBody(of: task), response)))
        } else {
            transfer.finish(.failure(URLError(.badServerResponse)))
        }
    }

    /// Runs a closure if the answer comes from a task, and tells whether it does.
    private func ifCurrent(_ task: URLSessionTask, _ body: (inout Current) -> Void) -> Bool {
        current.withLock { current in
            guard var now = current, now.task == task.taskIdentifier, transfer.isCurrent(now.hop)
            else { return false }
            body(&now)
            current = now
            return true
        }
    }
}

extension StreamTransfer: ByteSource {
    func next() async throws -> Data? { try await chunks.next() }

    func cancel() {
        transfer.cancel()
        // A stream that was left may be kept for longer than what nobody reads any more.
        chunks.cancel()
    }
}
