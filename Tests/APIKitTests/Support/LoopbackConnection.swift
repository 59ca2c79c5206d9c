import Foundation

/// A client that waits for an answer, which a test may send in parts and in its own time.
struct LoopbackConnection: Sendable {
    let socket: Int32

    // Writing to a client that has left would otherwise end the process.
    #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif

    init(socket: Int32) {
        self.socket = socket
        #if !canImport(Glibc)
        var isOn: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Sends text, and tells whether the client is still there.
    @discardableResult
    func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    /// Sends bytes, and tells whether the client is still there.
    @discardableResult
    func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(socket, slice.baseAddress, slice.count, Self.noSignal)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Waits until the client has closed the connection.
    func waitUntilClosed() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }
}
