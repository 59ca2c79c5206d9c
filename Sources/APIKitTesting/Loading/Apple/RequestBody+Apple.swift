import Foundation

#if !canImport(FoundationNetworking)

extension RequestBody {
    /// Finds the body of the request that a protocol loads.
    init(of urlProtocol: URLProtocol) {
        self.init(of: urlProtocol.request)
        // The system passes every body to a protocol as a stream.
        if case .stream(let stream, _) = self {
            self = .stream(stream, hasLength: urlProtocol.task?.sendsStream != true)
        }
    }
}

extension URLSessionTask {
    /// Whether the app has provided the body as a stream, and not as data or a file.
    fileprivate var sendsStream: Bool {
        self is URLSessionUploadTask
            ? countOfBytesExpectedToSend == NSURLSessionTransferSizeUnknown
            : originalRequest?.httpBody == nil && originalRequest?.httpBodyStream != nil
    }
}

#endif
