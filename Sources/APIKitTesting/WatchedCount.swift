import APIKit

/// A count that others wait on, but never for ever.
final class WatchedCount: Sendable {
    private struct Watcher {
        let threshold: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var count = 0
        var watchers: [Int: Watcher] = [:]
        var nextID = 0
        /// The watchers that gave up before they began to wait.
        var abandoned: Set<Int> = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func update(_ count: Int) {
        let reached = state.withLock { state in
            state.count = count
            let reached = state.watchers.filter { $0.value.threshold <= count }
            for id in reached.keys { state.watchers[id] = nil }
            return reached.values
        }
        for watcher in reached { watcher.continuation.resume(returning: true) }
    }

    /// Waits until the count reaches a threshold, and tells whether it did.
    ///
    /// It did not if the limit, in real time, passed or the task was cancelled first.
    func reaches(_ threshold: Int, within limit: Duration) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = Task {
            do {
                try await Task.sleep(for: limit)
                abandon(id)
            } catch {
                // Cancelled, as nobody waits any longer.
            }
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.abandoned.remove(id) }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                watch(Watcher(threshold: threshold, continuation: continuation), as: id)
            }
        } onCancel: {
            abandon(id)
        }
    }

    private func watch(_ watcher: Watcher, as id: Int) {
        let isReached = state.withLock { state -> Bool? in
            if state.count >= watcher.threshold { return true }
            if state.abandoned.remove(id) != nil { return false }
            state.watchers[id] = watcher
            return nil
        }
        if let isReached { watcher.continuation.resume(returning: isReached) }
    }

    private func abandon(_ id: Int) {
        let watcher = state.withLock { state in
            if state.watchers[id] == nil { state.abandoned.insert(id) }
            return state.watchers.removeValue(forKey: id)
        }
        watcher?.continuation.resume(returning: false)
    }
}
