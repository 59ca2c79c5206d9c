// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

import Foundation

/// A class on Apple platforms, to which an `OutputStream` is bridged.
public typealias CFWriteStream = OutputStream
// "Passing NULL for the queue will prevent future callbacks from being invoked."
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream, _ queue: DispatchQueue?) {
    (stream as? BoundOutput)?.setQueue(queue)
}

extension Stream {
    public static func getBoundStreams(
        withBufferSize size: Int, inputStream: inout InputStream?, outputStream: inout OutputStream?
    ) {
        let output = BoundOutput(size: size)
        (inputStream, outputStream) = (BoundInput(output), output)
    }
}

/// The end that a task reads.
final class BoundInput: InputStream {
    private let output: BoundOutput
    private var status = Status.notOpen

    init(_ output: BoundOutput) {
        self.output = output
        super.init(data: Data())
    }

    override var streamStatus: Status { status }
    override func open() { status = .open }
    override func close() { output.closeInput() }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        output.read(into: UnsafeMutableBufferPointer(start: buffer, count: maxLength))
    }
}

/// The end that an app writes, with the buffer of both.
final class BoundOutput: OutputStream {
    private let condition = NSCondition()
    private let size: Int
    private var bytes = Data()
    private var isClosed = (input: false, output: false)
    private var queue: DispatchQueue?
    // NSStream.h: `@property (nullable, assign) id<NSStreamDelegate> delegate`.
    private var target: Unmanaged<AnyObject>?

    init(size: Int) {
        self.size = size
        super.init(toMemory: ())
    }
    required init(toMemory: ()) { fatalError("The buffer has a size.") }

    /// Runs a closure under the lock, and wakes both ends.
    private func change<Value>(_ body: () -> Value) -> Value {
        condition.withLock {
            defer { condition.broadcast() }
            return body()
        }
    }

    /// Looks at the delegate under the lock, and then calls it (the backtrace of
    /// https://github.com/apple/swift-openapi-urlsession/pull/46, `_signalEventQueue` of CFStream.c).
    private func signal(_ event: Event) {
        nonisolated(unsafe) let stream = self
        queue?.async {
            let target = stream.change { stream.queue == nil ? nil : stream.target }
            (target?.takeUnretainedValue() as? any StreamDelegate)?.stream(stream, handle: event)
        }
    }

    func setQueue(_ queue: DispatchQueue?) { change { self.queue = queue } }
    override var delegate: (any StreamDelegate)? {
        get { nil }
        set { change { target = newValue.map { Unmanaged.passUnretained($0 as AnyObject) } } }
    }
    override var hasSpaceAvailable: Bool { change { bytes.count < size } }
    override func open() { change { [Event.openCompleted, .hasSpaceAvailable].forEach(signal) } }
    override func close() { change { isClosed.output = true } }

    func closeInput() {
        change {
            isClosed.input = true
            signal(.endEncountered)
        }
    }

    // "This call will block until at least one byte is written."
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        change {
            while bytes.count >= size, isClosed == (false, false) { condition.wait() }
            guard isClosed == (false, false) else { return -1 }
            let count = min(maxLength, size - bytes.count)
            bytes.append(buffer, count: count)
            if bytes.count < size { signal(.hasSpaceAvailable) }
            return count
        }
    }

    // "This call will block until at least one byte is available."
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        change {
            while bytes.isEmpty, isClosed == (false, false) { condition.wait() }
            guard !isClosed.input else { return -1 }
            let count = bytes.copyBytes(to: buffer)
            bytes.removeFirst(count)
            signal(.hasSpaceAvailable)
            return count
        }
    }
}
