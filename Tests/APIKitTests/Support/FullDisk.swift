import Foundation
import Testing

/// Runs a closure while no file can grow beyond a number of bytes, which simulates a full disk.
///
/// The limit applies to the whole process, so a test that uses it needs a separate process.
func withFullDisk(after size: rlim_t, _ body: () async throws -> Void) async throws {
    // Otherwise, a write beyond the limit ends the process.
    signal(SIGXFSZ, SIG_IGN)
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource: Int32 = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    try #require(getrlimit(resource, &limit) == 0)
    var usual = limit
    limit.rlim_cur = size
    try #require(setrlimit(resource, &limit) == 0)
    // The process writes its coverage report when it exits, which needs the usual limit.
    defer { _ = setrlimit(resource, &usual) }
    try await body()
}
