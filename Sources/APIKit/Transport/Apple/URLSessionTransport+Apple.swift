import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

extension URLSessionTransport {
    /// Loads a request with the system's own async functions.
    func load(
        _ request: URLRequest, _ upload: Upload? = nil
    ) async throws -> (Data, URLResponse) {
        try Task.checkCancellation()
        let delegate = TaskDelegate(for: request, upload, of: self)
        do {
            switch upload?.source {
            case nil:
                return try await session.data(for: request, delegate: delegate)
            case .data(let data)?:
                return try await session.upload(for: request, from: data, delegate: delegate)
            case .file(let url)?:
                return try await session.upload(for: request, fromFile: url, delegate: delegate)
            case .temporary(let file)?:
                return try await session.upload(
                    for: request, fromFile: file.url, delegate: delegate)
            }
        } catch {
            throw error.ofLoad
        }
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try Task.checkCancellation()
        let delegate = StreamDelegate(for: request, of: self)
        let task = session.dataTask(with: request)
        task.delegate = delegate
        do {
            return try await delegate.stream(task)
        } catch {
            throw error.ofLoad
        }
    }
}

/// The user info key under which a mock passes an error through a URL session.
///
/// A session rebuilds the error of a URL protocol from its domain, code and user info.
package let carriedErrorKey = "APIKit.carriedError"

extension Error {
    /// The error that a mock has passed through the session, or this error.
    var unwrapped: any Error {
        (self as NSError).userInfo[carriedErrorKey] as? any Error ?? self
    }

    /// The error that a load throws: `CancellationError` if the calling task is canceled.
    fileprivate var ofLoad: any Error {
        let isCancellation = Task.isCancelled && (self as? URLError)?.code == .cancelled
        return isCancellation ? CancellationError() : unwrapped
    }
}

#endif
