import Foundation

#if canImport(FoundationNetworking)

extension FileLimit {
    #if canImport(Glibc)
    static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    static let resource = RLIMIT_NOFILE
    #endif

    /// Not the hard limit, because some programs loop over every possible file descriptor.
    static let highest: rlim_t = 65_536
}

#endif
