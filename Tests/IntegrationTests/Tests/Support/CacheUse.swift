import APIKit
import Foundation

/// Whether a session has a cache.
///
/// On Linux a task is cancelled in one way without a cache and in another with one.
enum CacheUse: CaseIterable {
    case none, some

    /// A new cache, or nothing.
    var cache: URLCache? {
        switch self {
        case .none: nil
        case .some: URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
    }
}
