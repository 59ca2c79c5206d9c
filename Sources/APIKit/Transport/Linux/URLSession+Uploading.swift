import Foundation

#if canImport(FoundationNetworking)

extension URLSession {
    /// Returns a task for a request, with its upload unless a redirect has dropped the body.
    func task(for request: URLRequest, _ upload: Upload?) -> URLSessionTask {
        guard let upload, request.method != .get else { return dataTask(with: request) }
        switch upload.source {
        case .data(let data): return uploadTask(with: request, from: data)
        case .file(let url): return task(for: request, file: url, size: upload.size)
        case .temporary(let file): return task(for: request, file: file.url, size: upload.size)
        }
    }

    /// Returns a task that sends a file.
    ///
    /// When the system reads a file itself, it repeatedly pauses the transfer. If the task is canceled
    /// or refused during a pause, the process crashes with "libcurl.Easy Code=43". The system reads a
    /// stream without pauses.
    private func task(for request: URLRequest, file: URL, size: Int) -> URLSessionTask {
        guard !usesOwnProtocol(for: request) else {
            return uploadTask(with: request, fromFile: file)
        }
        var request = request
        request.httpBodyStream = FileStream(file, size: size)
        request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
        // Without these fields libcurl sends a stream chunked and as a form. A field without a value
        // is not sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        for name in ["Transfer-Encoding", "Content-Type"]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return dataTask(with: request)
    }

    /// Returns whether a protocol of a test or an app loads a request, instead of the system.
    ///
    /// It compares the modules of the classes, because the system may rename its own protocol.
    func usesOwnProtocol(for request: URLRequest) -> Bool {
        let protocols = (configuration.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
        guard let loader = protocols.first(where: { $0.canInit(with: request) }) else {
            return false
        }
        return Self.module(of: loader) != Self.module(of: URLSession.self)
    }

    private static func module(of type: Any.Type) -> Substring? {
        String(reflecting: type).split(separator: ".").first
    }
}

extension Upload {
    /// Returns the file from its start, or `nil` if the body is in memory.
    ///
    /// The system needs a new stream to send the body again over another connection.
    func newStream() -> InputStream? {
        switch source {
        case .data: nil
        case .file(let url): FileStream(url, size: size)
        case .temporary(let file): FileStream(file.url, size: size)
        }
    }
}

#endif
