import APIKit
import Foundation

#if canImport(FoundationNetworking)

extension RequestBody {
    /// Finds the body of the request that a protocol loads.
    init(of urlProtocol: URLProtocol) {
        // corelibs keeps the body of an upload task only in the task.
        if let task = urlProtocol.task as? URLSessionUploadTask {
            self = RequestBody(of: task)
        } else {
            self = RequestBody(of: urlProtocol.request)
        }
    }

    private init(of task: URLSessionUploadTask) {
        guard Reflection.hasProperty("knownBody", of: task) else {
            self = .provided { throw MockLoadingError.unknownBody }
            return
        }
        let known = Reflection.property("knownBody", of: task)
        switch known.flatMap({ Mirror(reflecting: $0).children.first?.value }) {
        case let data as DispatchData: self = .data(Data(data))
        case let file as URL: self = .file(file)
        case let input as InputStream: self = .stream(Stream(input: input))
        default: self = .provided { try await task.bodyFromDelegate() }
        }
    }
}

extension URLSessionUploadTask {
    /// Asks the delegate for the body, as for a task made with `uploadTask(withStreamedRequest:)`.
    ///
    /// corelibs asks only when it loads the request itself.
    ///
    /// - Returns: The stream of the delegate, or an empty body if the delegate has none.
    fileprivate func bodyFromDelegate() async throws -> RequestBody {
        guard let session = loadingSession else { throw MockLoadingError.unknownBody }
        guard let delegate else { return .data(Data()) }
        let body: RequestBody? = await session.delegateQueue.result { finish in
            delegate.urlSession(session, task: self) { input in
                finish(input.map { .stream(RequestBody.Stream(input: $0)) } ?? .data(Data()))
            }
        }
        guard let body else { throw CancellationError() }
        return body
    }
}

extension MockLoadingError {
    fileprivate static let unknownBody = MockLoadingError(
        description: """
            This version of Foundation does not reveal the body of an upload task to a MockServer. \
            Send the body as httpBody of the request, or use another version.
            """)
}

#endif
