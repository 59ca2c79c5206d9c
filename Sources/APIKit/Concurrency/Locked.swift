import Foundation

/// A value behind a lock.
///
/// `NSLock` and not `Mutex`: `Mutex` needs macOS 15, and the thread sanitizer reports false races
/// for it on Linux.
package final class Locked<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = NSLock()

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked: CustomReflectable {
    /// A mirror without the value, which may be a secret, and may change while it is shown.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
