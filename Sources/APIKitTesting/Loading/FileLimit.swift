import Foundation

/// The limit on the number of open files in the process.
///
/// Every session opens files, and Swift Testing starts all tests at once. A few hundred tests
/// exceed the default, which is 1,024 on Linux and 256 in a macOS shell.
enum FileLimit {
    /// Raises the limit to ``highest``, or as far as the hard limit allows.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, highest)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // A lower hard limit remains. On Linux, libdispatch ends a process that has no descriptor left:
        // its manager opens files to count the busy threads (`src/event/workqueue.c`).
        setrlimit(resource, &limit)
    }
}
