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
/// Unchecked because only blocks of the queue use the output, one after another. A write that blocks
/// there holds no thread of the tasks.
private final class BodyWriter: @unchecked Sendable {
    private let output: OutputStream
    private let events = SpaceEvents()
    private let queue = DispatchQueue(label: "APIKit.BodyWriter")

    init(_ output: OutputStream) {
        self.output = output
        onQueue { [events, queue] output in
            output.delegate = events
            // Its events need no run loop on a queue.
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
            output.open()
        }
    }

    deinit {
        // A stream does not retain its delegate, and its next event may be on the queue already
        // (https://github.com/apple/swift-openapi-urlsession/pull/46).
        onQueue { [events] output in
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
            output.close()
            withExtendedLifetime(events) {}
        }
    }

    /// Writes the chunks as the task reads them, and closes the stream.
    ///
    /// If it throws, the stream stays open as long as the writer: its end would be the end of a whole
    /// body to the server.
    func write(_ chunks: ByteStream) async throws {
        for try await chunk in chunks {
            var rest = chunk[...]
            while !rest.isEmpty {
                let count = try await writeStart(of: rest)
                // The task reads no more, and its response has the reason.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        onQueue { $0.close() }
    }

    /// Waits for space, and returns the number of bytes that fit.
    private func writeStart(of bytes: Data) async throws -> Int {
        let space = Waiter<Void>()
        // An event after this look answers the new waiter.
        onQueue { [events] output in
            events.waiter.withLock { $0 = space }
            if output.hasSpaceAvailable { space.answer(.success(())) }
        }
        try await space.wait()
        let written = Waiter<Int>()
        onQueue { output in
            let count = bytes.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress
                    .map { output.write($0, maxLength: bytes.count) } ?? 0
            }
            written.answer(.success(count))
        }
        return try await written.wait()
    }

    private func onQueue(_ work: @escaping @Sendable (OutputStream) -> Void) {
        nonisolated(unsafe) let output = output
        queue.async { work(output) }
    }
}

/// The delegate of an output, which answers a waiter when the output may have space.
private final class SpaceEvents: NSObject, StreamDelegate, Sendable {
    let waiter = Locked(Waiter<Void>())

    func stream(_: Stream, handle event: Stream.Event) {
        guard event != .openCompleted else { return }
        waiter.withLock { $0 }.answer(.success(()))
    }
}

#endif
