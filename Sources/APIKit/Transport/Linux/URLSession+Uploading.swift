import Foundation

#if canImport(FoundationNetworking)

extension URLSession {
    /// Returns a task for a request, and for its upload unless a redirect has dropped the body.
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
    /// While the system reads a file itself, it pauses the transfer again and again. If the task is
    /// cancelled or refused in a pause, it ends the process with "libcurl.Easy Code=43". It reads a
    /// stream without a pause.
    private func task(for request: URLRequest, file: URL, size: Int) -> URLSessionTask {
        guard !usesOwnProtocol(for: request) else {
            return uploadTask(with: request, fromFile: file)
        }
        var request = request
        request.httpBodyStream = FileStream(file, size: size)
        request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
        // A stream is sent in chunks and as a form unless header fields say otherwise. A field
        // without a value is not sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        for name in ["Transfer-Encoding", "Content-Type"]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return dataTask(with: request)
    }

    /// Whether a protocol of a test or an app loads a request, instead of the system.
    ///
    /// The module of the class decides, because the system may rename its own protocol.
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
    /// The system asks for it when it has to send the body again over another connection.
    func newStream() -> InputStream? {
        switch source {
        case .data: nil
        case .file(let url): FileStream(url, size: size)
        case .temporary(let file): FileStream(file.url, size: size)
        }
    }
}

#endif
