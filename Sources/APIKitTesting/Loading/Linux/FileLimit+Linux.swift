import Foundation

#if canImport(FoundationNetworking)

extension FileLimit {
    #if canImport(Glibc)
    static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    static let resource = RLIMIT_NOFILE
    #endif

    /// Not the highest possible, because some programs visit every number that a file can have.
    static let highest: rlim_t = 65_536
}

#endif
