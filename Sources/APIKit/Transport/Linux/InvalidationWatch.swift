import Foundation

#if canImport(FoundationNetworking)

/// Detects that a session is invalidated during loads in its sibling.
///
/// Without a delegate, a session notifies only its tasks. So the watch makes a task and never resumes
/// it: `invalidateAndCancel()` cancels it, and `finishTasksAndInvalidate()` waits for it. The task
/// costs as much as a small load, so all loads share it. It stays briefly after the last load.
final class InvalidationWatch: Sendable {
    private struct State {
        var loadCount = 0
        var task: URLSessionTask?
        /// The number of the current task, incremented before the session makes it.
        var number = 0
        var isWatching = false
        var isCheckScheduled = false
        /// Whether a load has begun since the last check.
        var wasUsed = false
    }

    /// How long the task stays after the last load, which also delays `didBecomeInvalidWithError`.
    private static let idleTime = DispatchTimeInterval.milliseconds(5)

    private let state = Locked(State())
    private let invalidated: @Sendable () -> Void

    /// Creates a watch.
    ///
    /// - Parameter invalidated: Called when the session cancels its tasks.
    init(invalidated: @escaping @Sendable () -> Void) {
        self.invalidated = invalidated
    }

    /// Watches a session for one load.
    ///
    /// - Returns: Whether the load has to call ``end()``.
    func begin(_ session: URLSession, for request: URLRequest) -> Bool {
        guard session !== URLSession.shared, let url = request.url,
            // A session never releases a canceled task whose URL no protocol supports.
            url.scheme == "http" || url.scheme == "https" || session.usesOwnProtocol(for: request)
        else { return false }
        let number = state.withLock { state -> Int? in
            state.loadCount += 1
            state.wasUsed = true
            guard !state.isWatching else { return nil }
            state.isWatching = true
            state.number += 1
            return state.number
        }
        if let number { watch(session, url, number) }
        return true
    }

    /// Ends the watch for one load.
    func end() {
        let hasToSchedule = state.withLock { state in
            state.loadCount -= 1
            guard state.loadCount == 0, !state.isCheckScheduled else { return false }
            state.isCheckScheduled = true
            return true
        }
        if hasToSchedule { scheduleCheck() }
    }

    private func watch(_ session: URLSession, _ url: URL, _ number: Int) {
        // A download task, because it does not read the cache.
        let task = session.downloadTask(with: URLRequest(url: url)) { [weak self] _, _, _ in
            self?.taskEnded(number)
        }
        let isWanted = state.withLock { state in
            guard state.isWatching, state.number == number else { return false }
            state.task = task
            return true
        }
        if !isWanted { Load.queue.async { task.cancel() } }
    }

    private func taskEnded(_ number: Int) {
        let isInvalidated = state.withLock { state in
            guard state.isWatching, state.number == number else { return false }
            (state.isWatching, state.task) = (false, nil)
            return true
        }
        if isInvalidated { invalidated() }
    }

    private func scheduleCheck() {
        Load.queue.asyncAfter(deadline: .now() + Self.idleTime) { self.check() }
    }

    /// Cancels the task on ``Load/queue`` if no load has begun since the last check.
    private func check() {
        let (idle, isUsed) = state.withLock { state -> (URLSessionTask?, Bool) in
            guard state.loadCount == 0 else {
                state.isCheckScheduled = false
                return (nil, false)
            }
            guard !state.wasUsed else {
                state.wasUsed = false
                return (nil, true)
            }
            defer { (state.isCheckScheduled, state.isWatching, state.task) = (false, false, nil) }
            return (state.task, false)
        }
        idle?.cancel()
        if isUsed { scheduleCheck() }
    }
}

#endif
