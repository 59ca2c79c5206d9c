import APIKit

extension Locked {
    /// A copy of the value as it is now.
    var current: Value { withLock { $0 } }
}
