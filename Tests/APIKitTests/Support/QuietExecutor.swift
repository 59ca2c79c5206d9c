import APIKit
import Foundation

/// An executor whose tasks a test starts one after the other, each once the last is suspended.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class QuietExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "QuietExecutor")
    private let pending = Locked(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pending.withLock { $0 += 1 }
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.pending.withLock { $0 -= 1 }
        }
    }

    /// Waits until every task of the executor has ended or is suspended.
    func untilQuiet() async {
        while pending.current > 0 { await Task.yield() }
    }
}
