import Foundation
import Testing

/// A limit of the process, for a test that has a process of its own.
struct ProcessLimit {
    #if canImport(Glibc)
    /// The size of files, which simulates a full disk.
    static let fileSize = Self(resource: __rlimit_resource_t(RLIMIT_FSIZE.rawValue))
    /// The number of open files, which at zero simulates a volume without a free inode.
    static let openFiles = Self(resource: __rlimit_resource_t(RLIMIT_NOFILE.rawValue))

    private let resource: __rlimit_resource_t
    #else
    /// The size of files, which simulates a full disk.
    static let fileSize = Self(resource: RLIMIT_FSIZE)
    /// The number of open files, which at zero simulates a volume without a free inode.
    static let openFiles = Self(resource: RLIMIT_NOFILE)

    private let resource: Int32
    #endif

    /// Runs a closure under a lower limit.
    func lowered(to value: rlim_t, _ body: () async throws -> Void) async throws {
        // Otherwise, a write beyond the limit ends the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        var usual = limit
        limit.rlim_cur = value
        try #require(setrlimit(resource, &limit) == 0)
        // The process writes its coverage report when it exits, which needs the usual limit.
        defer { _ = setrlimit(resource, &usual) }
        try await body()
    }
}
