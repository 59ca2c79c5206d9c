import APIKit
import Foundation

/// A TCP socket of 127.0.0.1, which its owner closes.
struct Socket: Sendable {
    let descriptor: Int32

    /// Creates a socket without a connection.
    init() {
        self.init(descriptor: Self.make())
        ignoreBrokenPipes()
    }

    /// Creates a socket that listens on a port, or on a free one for 0.
    init(listeningOn port: UInt16) throws {
        self.init(descriptor: Self.make())
        // Without it, the port of an earlier run stays in use for a minute.
        set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
        let isListening = Self.withAddress(of: port) { address, length in
            bind(descriptor, address, length) == 0 && listen(descriptor, 512) == 0
        }
        guard isListening else {
            defer { close() }
            throw POSIXError.last
        }
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        // A child process must not keep the port in use.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// The number of the port that the socket listens on.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits for a connection, or returns `nil` if it has ended before.
    func accept() -> Socket? {
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else {
            // The process can reach its limit on files for a moment.
            if errno == EMFILE || errno == ENFILE { usleep(10_000) }
            return nil
        }
        let socket = Socket(descriptor: connection)
        // A response in several writes must not wait for the acknowledgment of the first.
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, to: Int32(1))
        socket.ignoreBrokenPipes()
        return socket
    }

    /// Connects to a port.
    func connect(to port: UInt16) {
        _ = Self.withAddress(of: port) { Foundation.connect(descriptor, $0, $1) == 0 }
    }

    private static func withAddress(
        of port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafeBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return false }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

extension Socket {
    /// Waits for bytes, and appends them, or returns `false` at the end of the connection.
    func receive(into data: inout Data) -> Bool {
        let received = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            data.append(contentsOf: buffer.prefix(max(0, count)))
            return count
        }
        return received > 0
    }

    /// Sends bytes, and returns whether the connection is still open.
    @discardableResult
    func send(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = sendOnce(UnsafeRawBufferPointer(rebasing: rest))
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Waits until bytes have arrived, or returns `false` at the end of the connection.
    func waitForBytes() -> Bool {
        var (event, byte) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), UInt8(0))
        while poll(&event, 1, -1) < 0, errno == EINTR {}
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// Ends the connection, which wakes a thread that waits for it.
    func shutdown(_ side: Int32 = Int32(SHUT_RDWR)) { _ = Foundation.shutdown(descriptor, side) }

    /// Makes ``close()`` reset the connection.
    func resetOnClose() { set(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0)) }

    func close() { _ = Foundation.close(descriptor) }

    func set<Value>(_ level: Int32, _ option: Int32, to value: Value) {
        _ = withUnsafeBytes(of: value) {
            setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
        }
    }
}
