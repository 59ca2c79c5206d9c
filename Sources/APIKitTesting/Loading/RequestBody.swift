import APIKit
import Foundation

/// The body of a request.
struct RequestBody: Sendable {
    /// The bytes, unless they must be read.
    var data: Data?
    /// Whether the client does not know the length, and sends the body in chunks.
    var isChunked = false
    /// Reads the whole body.
    ///
    /// For a stream, it waits for the writer, without a time limit.
    let read: @Sendable () async throws -> Data
}

extension RequestBody {
    init(_ data: Data) {
        self.init(data: data) { data }
    }

    init(_ stream: InputStream) {
        let input = Input(stream: stream)
        self.init(isChunked: true) {
            try await Blocking.run { _ in try input.stream.readToEnd() }
        }
    }

    init(of request: URLRequest) {
        if request.httpBody == nil, let stream = request.httpBodyStream {
            self.init(stream)
        } else {
            self.init(request.httpBody ?? Data())
        }
    }

    /// Returns the request with the header fields that a server receives over HTTP/1.1.
    ///
    /// A request with a body of unknown length has a `Transfer-Encoding` (RFC 9112, section 6.1). The
    /// length that a request states counts only for a stream.
    func framed(_ request: URLRequest) -> URLRequest {
        var request = request
        if !isChunked {
            request.removeFraming()
        } else if request.value(forHTTPHeaderField: "Content-Length") == nil {
            request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
        }
        return request
    }
}

/// An input stream, unchecked because only one reader uses it.
private struct Input: @unchecked Sendable {
    let stream: InputStream
}

extension InputStream {
    fileprivate func readToEnd() throws -> Data {
        open()
        defer { close() }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(&buffer, maxLength: buffer.count)
            if count < 0 { throw streamError ?? URLError(.requestBodyStreamExhausted) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}
