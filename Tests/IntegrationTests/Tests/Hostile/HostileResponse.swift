import APIKit
import Foundation
import Testing

/// A response that no friendly server sends, as bytes, and what a client makes of it.
struct HostileResponse: Sendable, CustomTestStringConvertible {
    /// What the server does after the bytes.
    enum Ending: Sendable {
        /// Closes the connection.
        case close
        /// Breaks the connection.
        case reset
        /// Waits for the next request.
        case wait
        /// Sends text again and again until the client has left.
        case forever(String)
    }

    /// How a call ends.
    enum Outcome: Equatable, Sendable {
        /// A status with a body, as text if it is short, or else by its length.
        case body(Int, String)
        /// An `APIError` of kind `status`.
        case refused(Int)
        /// An `APIError` of kind `transport`, and a code.
        case failed(URLError.Code)
        /// The same with any code for a body that cannot be decoded.
        case unreadable
        /// The same with a code for a head that is not HTTP, or none if the head is too long.
        case malformed
        /// An `APIError` of kind `deadline`.
        case overdue
        /// Anything else.
        case other(String)

        /// Whether this is how a call has ended that was to end so.
        func includes(_ outcome: Outcome) -> Bool {
            guard case .failed(let code) = outcome else { return self == outcome }
            switch self {
            case .unreadable: return Self.decodingCodes.contains(code)
            case .malformed:
                return Self.decodingCodes.contains(code) || code == .unknown
            default: return self == outcome
            }
        }

        private static let decodingCodes: Set<URLError.Code> = [
            .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData,
            .cannotParseResponse,
        ]

        static let hello = body(200, "hello")
        static let lost = failed(.networkConnectionLost)
    }

    let name: String
    let bytes: Data
    let ending: Ending
    let method: String
    let load: Outcome
    let stream: Outcome
    let download: Outcome

    /// Creates a response; streams and downloads end like loads unless they are given.
    init(
        _ name: String, _ bytes: Data, then ending: Ending = .close, method: String = "GET",
        _ load: Outcome, stream: Outcome? = nil, download: Outcome? = nil
    ) {
        self.name = name
        self.bytes = bytes
        self.ending = ending
        self.method = method
        self.load = load
        self.stream = stream ?? load
        self.download = download ?? load
    }

    /// Creates a response of text, a line for each of the head, and a body.
    init(
        _ name: String, _ head: [String], _ body: String = "", then ending: Ending = .close,
        method: String = "GET", _ load: Outcome, stream: Outcome? = nil, download: Outcome? = nil
    ) {
        let text = (head + ["", body]).joined(separator: "\r\n")
        self.init(
            name, Data(text.utf8), then: ending, method: method, load, stream: stream,
            download: download)
    }

    var testDescription: String { name }

    /// How a call that is sent in a way is to end.
    func outcome(of way: Way) -> Outcome {
        switch way {
        case .load: load
        case .stream: stream
        case .download: download
        }
    }

    /// The ways of sending a request.
    enum Way: CaseIterable {
        case load, stream, download
    }

    /// Sends the response to each request of a connection.
    func serve(_ connection: inout RawConnection) async throws {
        while true {
            _ = try await connection.head()
            try await connection.send(bytes)
            switch ending {
            case .close: return
            case .reset: return connection.resetWhenClosed()
            case .wait: break
            case .forever(let text):
                // Not as fast as can be: a load keeps all of it in memory until its deadline.
                while true {
                    try await connection.send(text)
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
        }
    }
}

extension HostileResponse.Way {
    /// Sends a request, and returns how that ends.
    func send(
        _ request: URLRequest, by client: APIClient, in directory: TemporaryDirectory
    ) async -> HostileResponse.Outcome {
        do {
            switch self {
            case .load:
                let response = try await client.response(to: AnyRequest(), with: request)
                return .body(response.statusCode, text(of: response.value))
            case .stream:
                let response = try await client.stream(AnyRequest(), with: request)
                return .body(response.statusCode, text(of: try await response.value.data()))
            case .download:
                let file = directory.url.appending(path: "file")
                let response = try await client.download(AnyRequest(), with: request, to: file)
                // A response to HEAD has no content, so it makes no file.
                let isWritten = try directory.names.contains("file")
                let content = isWritten ? try Data(contentsOf: file) : Data()
                return .body(response.statusCode, text(of: content))
            }
        } catch let error as APIError {
            switch error.kind {
            case .status(let status): return .refused(status)
            case .deadline: return .overdue
            case .transport:
                guard let code = (error.underlying as? URLError)?.code else { break }
                return .failed(code)
            default: break
            }
            return .other("\(error)")
        } catch {
            return .other("\(error)")
        }
    }

    private func text(of data: Data) -> String {
        data.count <= 100 ? String(decoding: data, as: UTF8.self) : "\(data.count) bytes"
    }
}

/// A request that is written out where it is sent, and whose answer is any bytes.
private struct AnyRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from request: URLRequest) -> URLRequest { request }
}
