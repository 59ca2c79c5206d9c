import Foundation

/// Creates sockets of 127.0.0.1.
enum LoopbackSocket {
    /// The soft limit on open files, raised once: tests with servers run at the same time, and a
    /// shell on macOS sets the limit to 256.
    private static let raisedFileLimit: rlim_t? = {
        #if canImport(Glibc)
        return nil
        #else
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        // Darwin refuses a soft limit above OPEN_MAX, even below the hard limit (setrlimit(2)).
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(OPEN_MAX)))
        return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : nil
        #endif
    }()

    private static let isDirect = setenv("no_proxy", "*", 1) == 0

    /// Makes the sessions of this process use no proxy, even if the environment names one.
    ///
    /// On Linux, libcurl reads the environment for each connection, and Foundation has no setting for a
    /// proxy. Changes the environment only once, because another thread may read it.
    static func connectDirectly() { _ = isDirect }

    /// Returns a socket that is bound to a free port of 127.0.0.1, and does not listen yet.
    static func make() throws -> (descriptor: Int32, port: UInt16) {
        _ = raisedFileLimit
        connectDirectly()
        let descriptor = newSocket()
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Opens a connection to a port of 127.0.0.1.
    static func connection(to port: UInt16) -> Int32 {
        let descriptor = newSocket()
        var address = address(port: port)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    private static func newSocket() -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        closeInOtherProcesses(descriptor)
        return descriptor
    }

    /// Closes a socket in child processes that a test starts.
    static func closeInOtherProcesses(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        return address
    }
}

/// A port of 127.0.0.1 that refuses connections and that no other socket can take.
final class RefusingPort: Sendable {
    let url: URL
    private let descriptor: Int32

    init() throws {
        let number: UInt16
        (descriptor, number) = try LoopbackSocket.make()
        url = URL(string: "http://127.0.0.1:\(number)/dogs") ?? URL(filePath: "/")
    }

    deinit {
        close(descriptor)
    }
}
