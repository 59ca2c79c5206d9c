import APIKit
import Foundation

/// The source of a request's body.
enum RequestBody: Sendable {
    case data(Data)
    case file(URL)
    case stream(Stream, hasLength: Bool = false)
    /// A body that a delegate provides on request.
    case provided(@Sendable () async throws -> RequestBody)

    /// An input stream, unchecked because only one reader uses it.
    struct Stream: @unchecked Sendable {
        let input: InputStream
    }

    init(of request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let input = request.httpBodyStream {
            self = .stream(Stream(input: input))
        } else {
            self = .data(Data())
        }
    }

    /// Returns the request with the header fields that a server receives over HTTP/1.1.
    ///
    /// A request with a body of unknown length has a `Transfer-Encoding` (RFC 9112, section 6.1).
    func framed(_ request: URLRequest) -> URLRequest {
        switch self {
        case .data, .file, .stream(_, hasLength: true): return request
        case .stream, .provided: break
        }
        guard request.value(forHTTPHeaderField: "Content-Length") == nil else { return request }
        var request = request
        request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
        return request
    }

    /// Reads the whole body.
    ///
    /// For a stream, it waits for the writer, without a time limit.
    func read() async throws -> Data {
        switch self {
        case .data(let data): data
        case .file(let url): try await Blocking.run { _ in try Data(contentsOf: url) }
        case .stream(let stream, _): try await Blocking.run { _ in try stream.input.readToEnd() }
        case .provided(let body): try await body().read()
        }
    }
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
