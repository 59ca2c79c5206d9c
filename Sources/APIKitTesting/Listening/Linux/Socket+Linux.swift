// In a separate file, because the types of these constants differ on each platform.
#if !canImport(Darwin)
import Foundation

extension Socket {
    static let sendFlags = Int32(MSG_NOSIGNAL)

    static func make() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    /// Does nothing, because each call of `send` has a flag for it.
    func ignoreBrokenPipes() {}

    /// Calls the closure, because no object is left to a thread.
    static func draining(_ work: () throws -> Bool) rethrows -> Bool { try work() }
}
#endif
