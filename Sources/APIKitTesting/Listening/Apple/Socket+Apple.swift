// In a separate file, because the types of these constants differ on each platform.
#if canImport(Darwin)
import Foundation

extension Socket {
    static let sendFlags: Int32 = 0

    static func make() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }

    /// Makes a write to a closed connection fail, where it would end the process.
    func ignoreBrokenPipes() { set(SOL_SOCKET, SO_NOSIGPIPE, to: Int32(1)) }

    /// Releases the objects that the closure leaves to the thread, whose own pool ends with the connection.
    static func draining(_ work: () throws -> Bool) rethrows -> Bool {
        try autoreleasepool(invoking: work)
    }
}
#endif
