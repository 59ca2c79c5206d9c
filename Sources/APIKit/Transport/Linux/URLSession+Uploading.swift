import Foundation

#if canImport(FoundationNetworking)

extension URLSession {
    /// Returns a task that sends a request with a separate body.
    func task(
        for request: URLRequest, sending upload: URLSessionTransport.Upload
    ) -> URLSessionTask {
        switch upload.source {
        case nil: return dataTask(with: request)
        case .data(let data)?: return uploadTask(with: request, from: data)
        case .file(let url)? where usesOwnProtocol(for: request):
            return uploadTask(with: request, fromFile: url)
        case .file?: break
        }
        // When the system reads a file itself, it repeatedly pauses the transfer. If the task is
        // canceled or refused during a pause, the process crashes with "libcurl.Easy Code=43". The
        // system reads a stream without pauses.
        var request = request
        upload.attach(to: &request)
        // Without these fields libcurl sends a stream chunked and as a form. A field without a value
        // is not sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        for name in ["Transfer-Encoding", "Content-Type"]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return dataTask(with: request)
    }

    /// Refuses a body that can be read only once.
    ///
    /// The system reads a stream on the one queue of all sessions of the process, which a sequence that
    /// waits would block. A session of a mock refuses the body too, so that no test hides the error.
    func open(
        _: HTTPBody, for _: URLRequest
    ) async throws -> (stream: InputStream, length: Int?, write: @Sendable () async throws -> Void)
    {
        throw APIError(
            .invalidRequest(
                """
                a URLSession on Linux cannot send a body that arrives while it is sent: all sessions \
                would wait for it. Use another transport, such as HTTPClientTransport, or write the \
                body to a file
                """))
    }

    /// Returns whether a protocol of a test or an app loads a request, not the system's protocol.
    ///
    /// Compares the modules of the classes, because the system may rename its own protocol.
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

extension URLSessionTransport.Upload {
    /// Returns a stream of the file from its start, or `nil` if the body is in memory.
    func newStream() -> InputStream? {
        guard case .file(let url) = source, let size else { return nil }
        return FileStream(url, size: size)
    }
}

/// A stream of the first bytes of a file, which restarts each time it is opened.
final class FileStream: InputStream {
    private let url: URL?
    private let size: Int
    private var reader: FileReader?
    private var rest = 0

    /// Creates a stream that is not open yet.
    ///
    /// - Parameters:
    ///   - url: The file, or `nil` for a stream that fails.
    ///   - size: The number of bytes to read, even if the file grows.
    init(_ url: URL?, size: Int) {
        self.url = url
        self.size = size
        super.init(data: Data())
    }

    override func open() {
        // If the file cannot be opened, `read` reports the failure.
        reader = url.flatMap { try? FileReader($0) }
        rest = size
    }

    override func close() { reader = nil }

    override var streamStatus: Status { reader == nil ? .notOpen : .open }

    override var hasBytesAvailable: Bool { rest > 0 }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let piece = UnsafeMutableRawBufferPointer(start: buffer, count: min(maxLength, rest))
        guard !piece.isEmpty else { return 0 }
        // A file that has become shorter is a failure: the server waits for the announced size.
        guard let count = reader?.readPiece(into: piece), count > 0 else { return -1 }
        rest -= count
        return count
    }
}

#endif
