import APIKit
import Foundation
import Testing

/// The bytes of a malformed or malicious response, and the expected outcome of a call.
struct HostileResponse: Sendable, CustomTestStringConvertible {
    /// What the server does after it has sent the bytes.
    enum Ending: Sendable {
        /// Closes the connection.
        case close
        /// Resets the connection.
        case reset
        /// Waits for the next request.
        case wait
        /// Repeats a text until the client closes the connection.
        case forever(String)
    }

    /// How a call ends.
    enum Outcome: Equatable, Sendable {
        /// A response with a status, and with the text of its body or the length of a long body.
        case body(Int, String)
        /// An `APIError` of kind `status`.
        case refused(Int)
        /// An `APIError` of kind `transport` with a code.
        case failed(URLError.Code)
        /// An `APIError` of kind `transport` with a code for an invalid body.
        case unreadable
        /// An `APIError` of kind `transport` with a code for an invalid or too long head.
        case malformed
        /// An `APIError` of kind `deadline`.
        case overdue
        /// Another outcome.
        case other(String)

        /// Returns whether an outcome equals this one, or has an error code that this one allows.
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

    /// Creates a response.
    ///
    /// By default, a stream and a download have the outcome of a load.
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

    /// Creates a response from the lines of its head and a body.
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

    /// The expected outcome of a call over the transport under test.
    func outcome(of way: Way) -> Outcome {
        if let difference = HostileDifference.find(name) { return difference.outcome }
        return switch way {
        case .load: load
        case .stream: stream
        case .download: download
        }
    }

    /// The ways to send a request.
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
                // Limits the rate, because a load buffers the whole body until its deadline.
                while true {
                    try await connection.send(text)
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
        }
    }
}

extension HostileResponse.Way {
    /// Sends a request, and returns the outcome.
    func send(
        _ request: URLRequest, by client: APIClient, in directory: TemporaryDirectory
    ) async -> HostileResponse.Outcome {
        do {
            switch self {
            case .load:
                let response = try await client.response(to: DataRequest(), with: request)
                return .body(response.statusCode, text(of: response.value))
            case .stream:
                let response = try await client.stream(DataRequest(), with: request)
                return .body(response.statusCode, text(of: try await response.value.data()))
            case .download:
                let file = directory.url.appending(path: "file")
                let response = try await client.download(DataRequest(), with: request, to: file)
                // A response to HEAD has no content, so the client creates no file.
                let isWritten = try directory.names.contains("file")
                let content = isWritten ? try Data(contentsOf: file) : Data()
                return .body(response.statusCode, text(of: content))
            }
        } catch let error as APIError {
            switch error.kind {
            case .status(let status): return .refused(status)
            case .deadline: return .overdue
            case .transport:
                guard let code = error.urlError?.code else { break }
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
