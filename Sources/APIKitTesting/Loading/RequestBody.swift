import APIKit
import Foundation

/// The source of the body of a request.
enum RequestBody: Sendable {
    case data(Data)
    case file(URL)
    case stream(Stream)
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

    /// Reads the whole body.
    ///
    /// For a stream, it waits for the writer, without a time limit.
    func read() async throws -> Data {
        switch self {
        case .data(let data): data
        case .file(let url): try await Blocking.run { _ in try Data(contentsOf: url) }
        case .stream(let stream): try await Blocking.run { _ in try stream.input.readToEnd() }
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
