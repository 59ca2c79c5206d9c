import Foundation

#if !canImport(FoundationNetworking)

extension FileLimit {
    static let resource: Int32 = RLIMIT_NOFILE

    /// `setrlimit` refuses a higher limit, according to its manual page.
    static let highest = rlim_t(OPEN_MAX)
}

#endif
