import Foundation

#if !canImport(FoundationNetworking)

extension URLSession {
    /// Returns a stream of a body that can be read only once, its length, and a function to write it.
    func open(
        _ body: HTTPBody, for _: URLRequest
    ) async throws -> (stream: InputStream, length: Int?, write: @Sendable () async throws -> Void)
    {
        let (chunks, length) = try body.chunks()
        var (input, output): (InputStream?, OutputStream?)
        Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &input, outputStream: &output)
        guard let input, let output else { throw URLError(.requestBodyStreamExhausted) }
        let writer = BodyWriter(output)
        return (input, length, { try await writer.write(chunks) })
    }
}

/// Writes the chunks of a body to the stream that a task reads.
///
/// Unchecked because only ``write(_:)`` uses the output, and a lock guards the waiter.
private final class BodyWriter: NSObject, StreamDelegate, @unchecked Sendable {
    private let output: OutputStream
    private let waiter = Locked(Waiter<Void>())

    init(_ output: OutputStream) {
        self.output = output
        super.init()
        output.delegate = self
        // Its events need no run loop on a queue.
        CFWriteStreamSetDispatchQueue(
            output as CFWriteStream, DispatchQueue(label: "APIKit.BodyWriter"))
        output.open()
    }

    deinit {
        output.delegate = nil
        CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
        output.close()
    }

    /// Writes the chunks as the task reads them, and closes the stream.
    ///
    /// If it throws, the stream stays open as long as the writer: its end would be the end of a whole
    /// body to the server.
    func write(_ chunks: ByteStream) async throws {
        for try await chunk in chunks {
            var rest = chunk[...]
            while !rest.isEmpty {
                try await waitForSpace()
                let count = rest.withUnsafeBytes { bytes in
                    bytes.bindMemory(to: UInt8.self).baseAddress
                        .map { output.write($0, maxLength: bytes.count) } ?? 0
                }
                // The task reads no more, and its response has the reason.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        output.close()
    }

    private func waitForSpace() async throws {
        let next = Waiter<Void>()
        waiter.withLock { $0 = next }
        // An event after this look answers the new waiter.
        guard !output.hasSpaceAvailable else { return }
        try await next.wait()
    }

    func stream(_: Stream, handle event: Stream.Event) {
        guard event != .openCompleted else { return }
        waiter.withLock { $0 }.answer(.success(()))
    }
}

#endif
