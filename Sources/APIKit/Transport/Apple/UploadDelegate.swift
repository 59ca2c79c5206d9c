import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

/// The delegate of an upload task, which also reports progress.
final class UploadDelegate: TaskDelegate, @unchecked Sendable {
    private let didSend: @Sendable (Int) -> Void

    init(
        for request: URLRequest, of transport: URLSessionTransport,
        didSend: @escaping @Sendable (Int) -> Void
    ) {
        self.didSend = didSend
        super.init(for: request, of: transport)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        didSend(Int(clamping: totalBytesSent))
        sessionDelegate?.urlSession?(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
}

#endif
