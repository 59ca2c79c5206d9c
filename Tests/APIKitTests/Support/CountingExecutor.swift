import APIKit
import Foundation

/// An executor that counts how often its actor was entered.
final class CountingExecutor: SerialExecutor {
    let jobs = Locked(0)
    private let queue = DispatchQueue(label: "CountingExecutor")

    func enqueue(_ job: UnownedJob) {
        jobs.withLock { $0 += 1 }
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
