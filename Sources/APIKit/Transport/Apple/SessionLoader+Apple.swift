import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

/// Loads requests with the system's own async functions and a delegate for each task.
struct SessionLoader {
    let session: URLSession
    let redirects: RedirectPolicy

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let delegate = TaskDelegate(for: request, of: session, redirects: redirects)
        return try await load { try await session.data(for: request, delegate: delegate) }
    }

    func upload(_ request: URLRequest, _ upload: Upload) async throws -> (Data, URLResponse) {
        let delegate = UploadDelegate(
            for: request, of: session, redirects: redirects, didSend: upload.didSend)
        return try await load {
            switch upload.source {
            case .data(let data):
                try await session.upload(for: request, from: data, delegate: delegate)
            case .file(let url):
                try await session.upload(for: request, fromFile: url, delegate: delegate)
            case .temporary(let file):
                try await session.upload(for: request, fromFile: file.url, delegate: delegate)
            }
        }
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let delegate = StreamDelegate(for: request, of: session, redirects: redirects)
        return try await load {
            let task = session.dataTask(with: request)
            task.delegate = delegate
            return try await delegate.stream(task)
        }
    }

    /// Runs a load, unless the calling task is cancelled, and translates its error.
    private func load<Output>(_ body: () async throws -> Output) async throws -> Output {
        try Task.checkCancellation()
        do {
            return try await body()
        } catch {
            if Task.isCancelled, (error as? URLError)?.code == .cancelled {
                throw CancellationError()
            }
            throw error.unwrapped
        }
    }
}

extension Error {
    /// The error that a mock has passed through the session, or this one.
    var unwrapped: any Error {
        (self as NSError).userInfo[carriedErrorKey] as? any Error ?? self
    }
}

#endif
