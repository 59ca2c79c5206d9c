import APIKit
import Foundation

/// A TCP socket of 127.0.0.1, which its owner closes.
struct Socket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32 = make()) {
        self.descriptor = descriptor
        // A child process must not keep the port in use.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        ignoreBrokenPipes()
    }

    /// Creates a socket that listens on a port.
    ///
    /// - Parameter port: The number of the port. If it is 0, it becomes the number of a free port.
    /// - Throws: A `POSIXError`.
    init(listeningOn port: inout UInt16) throws {
        self.init()
        // Without it, the port of an earlier run stays in use for a minute.
        set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
        let descriptor = descriptor
        let isListening = Self.withAddress(of: &port) { address, length in
            bind(descriptor, address, length) == 0 && listen(descriptor, 512) == 0
                && getsockname(descriptor, address, &length) == 0
        }
        guard isListening else {
            defer { close() }
            throw POSIXError.last
        }
        // A connection can end before `accept`, which must not wait for the next one.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Passes the address of a port to system calls, which may change it.
    static func withAddress(
        of port: inout UInt16, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        defer { port = UInt16(bigEndian: address.sin_port) }
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    /// Returns the next connection, if there is one.
    func accept() -> Socket? {
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else {
            // The process can reach its limit on files for a moment.
            if errno == EMFILE || errno == ENFILE { usleep(10_000) }
            return nil
        }
        let socket = Socket(connection)
        // Apple platforms copy the flags of the listening socket.
        _ = fcntl(connection, F_SETFL, 0)
        // A response in several writes must not wait for the acknowledgment of the first.
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, to: Int32(1))
        return socket
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
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(
                    descriptor, part.baseAddress, part.count, Self.sendFlags)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Waits for the end of the connection.
    func waitForEnd() {
        var data = Data()
        while receive(into: &data) { data = Data() }
    }

    /// Waits until bytes or the end of the client's side have arrived, or returns `true` after a reset.
    func waitForReset() -> Bool {
        var (event, byte) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), UInt8(0))
        while poll(&event, 1, -1) < 0, errno == EINTR {}
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) < 0
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
