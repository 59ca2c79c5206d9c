import APIKit
import AsyncHTTPClient
import Foundation
import NIOCore

/// A body that replaces the body of the request.
struct Upload: Sendable {
    typealias Chunks = (stream: ByteStream, length: Int?)

    let body: HTTPBody
    /// The chunks of one request, after whose redirect the body is opened again.
    let chunks: Chunks
    let progress: @Sendable (TransferProgress) -> Void

    init(_ body: HTTPBody, _ progress: @escaping @Sendable (TransferProgress) -> Void) throws {
        (self.body, self.progress) = (body, progress)
        chunks = try body.chunks()
    }
}

extension URLRequest {
    /// Returns the method, or throws for one that would end the request line early.
    func checkedMethod() throws -> String {
        let method = httpMethod ?? "GET"
        // AsyncHTTPClient writes a space or a line break unchanged.
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw APIError(.invalidRequest("its method is invalid"), request: self)
        }
        return method
    }
}

extension URL {
    /// Whether AsyncHTTPClient accepts the host and the port, because others end the process.
    var isValid: Bool {
        guard ["http", "https"].contains(scheme?.lowercased()) else { return true }
        let host = host(percentEncoded: false) ?? ""
        // AsyncHTTPClient removes the brackets.
        return host.utf8.contains { !"[]".utf8.contains($0) } && UInt16(exactly: port ?? 0) != nil
    }
}

extension HTTPClientRequest.Body {
    /// Creates the body of a request, or `nil` if it has none.
    ///
    /// A redirect that becomes a GET drops the body of an upload.
    init?(of request: URLRequest, _ upload: Upload?, _ progress: ProgressTimer) throws {
        if let upload {
            guard request.httpMethod != "GET" else { return nil }
            self = .sending(upload.chunks, progress, upload.progress)
        } else if let data = request.httpBody {
            self =
                data.count <= 1 << 16
                ? .bytes(ByteBuffer(bytes: data))
                : .sending(try HTTPBody.data(data).chunks(), progress) { _ in }
        } else if let stream = request.httpBodyStream {
            let length = request.value(forHTTPHeaderField: "Content-Length")
                .flatMap(Int64.init).flatMap { $0 < 0 ? nil : $0 }
            self = .stream(
                StreamChunks(of: stream, progress), length: length.map { .known($0) } ?? .unknown)
        } else {
            return nil
        }
    }

    private static func sending(
        _ chunks: Upload.Chunks, _ timer: ProgressTimer,
        _ report: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        let sent = SentChunks(
            chunks: chunks.stream, length: chunks.length, timer: timer, report: report)
        return .stream(sent, length: chunks.length.map { .known(Int64($0)) } ?? .unknown)
    }
}

/// The chunks of a body, which reports them as sent when the client asks for the next one.
private struct SentChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let chunks: ByteStream
    let length: Int?
    let timer: ProgressTimer
    let report: @Sendable (TransferProgress) -> Void

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(sequence: self, chunks: chunks.makeAsyncIterator())
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let sequence: SentChunks
        var chunks: ByteStream.AsyncIterator
        var sentCount = 0

        mutating func next() async throws -> ByteBuffer? {
            try await sequence.timer.waitForEventLoops()
            sequence.timer.reset()
            let length = sequence.length
            sequence.report(TransferProgress(completedBytes: sentCount, totalBytes: length))
            guard let chunk = try await chunks.next() else { return nil }
            sentCount += chunk.count
            return ByteBuffer(bytes: chunk)
        }
    }
}

/// The chunks of an input stream, unchecked because only one task at a time reads it.
private final class StreamChunks: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = ByteBuffer

    private let stream: InputStream
    private let timer: ProgressTimer
    // An input stream blocks its reader. A serial queue gets a thread at once, while the global queues
    // also run all tasks on Linux.
    private let queue = DispatchQueue(label: "HTTPClientTransport.stream")

    init(of stream: InputStream, _ timer: ProgressTimer) {
        self.stream = stream
        self.timer = timer
    }

    deinit {
        stream.close()
    }

    func makeAsyncIterator() -> StreamChunks { self }

    func next() async throws -> ByteBuffer? {
        timer.reset()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try self.read() })
            }
        }
    }

    private func read() throws -> ByteBuffer? {
        if stream.streamStatus == .notOpen { stream.open() }
        var chunk = ByteBuffer()
        let count = try chunk.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 16) { buffer in
            let bytes = buffer.bindMemory(to: UInt8.self)
            let count = bytes.baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
            guard count >= 0 else {
                throw APIError(
                    .invalidRequest("its body stream cannot be read"),
                    underlying: stream.streamError)
            }
            return count
        }
        return count == 0 ? nil : chunk
    }
}
