import Foundation

#if canImport(FoundationNetworking)

/// Detects that a session is invalidated before or during loads in its sibling.
///
/// Without a delegate, a session notifies only its tasks. So the watch makes a task and never resumes
/// it: `invalidateAndCancel()` cancels it, and `finishTasksAndInvalidate()` waits for it. The task
/// costs as much as a small load, so all loads share it. The watch keeps it only briefly after the
/// last load, because the task retains the session.
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
        /// Whether the session has canceled its tasks.
        var hasCanceled = false
        /// The queue of the session, which retains the watch.
        weak var workQueue: DispatchQueue?
    }

    /// The lifetime of the task after the last load, which also delays `didBecomeInvalidWithError`.
    private static let idleTime = DispatchTimeInterval.milliseconds(5)

    private let state = Locked(State())
    private let canceled: @Sendable () -> Void

    /// Creates a watch.
    ///
    /// - Parameter canceled: Called when the session cancels its tasks.
    init(canceled: @escaping @Sendable () -> Void) {
        self.canceled = canceled
    }

    /// Whether the session has canceled its tasks.
    var hasCanceled: Bool { state.withLock { $0.hasCanceled } }

    /// Watches a session for one load.
    ///
    /// - Returns: Whether the load has to call ``end()``.
    /// - Throws: `URLError.cancelled` if the session is invalidated.
    func begin(_ session: URLSession, for request: URLRequest) throws -> Bool {
        // Invalidating the shared session has no effect.
        guard session !== URLSession.shared else { return false }
        let workQueue = state.withLock { state in
            if state.workQueue == nil { state.workQueue = session.workQueue }
            return state.workQueue
        }
        guard !session.isInvalidated(on: workQueue) else { throw URLError(.cancelled) }
        guard let url = request.url,
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
        let task = session.makeWatchTask(url) { [weak self] in self?.taskEnded(number) }
        guard let task else { return taskEnded(number) }
        let isWanted = state.withLock { state in
            guard state.isWatching, state.number == number else { return false }
            state.task = task
            return true
        }
        // A session that was invalidated before it registered the task does not cancel it.
        if !isWanted || session.isInvalidated {
            Load.queue.asyncAfter(deadline: .now() + URLSession.invalidationTime) { task.cancel() }
        }
    }

    private func taskEnded(_ number: Int) {
        let hasCanceled = state.withLock { state in
            guard state.isWatching, state.number == number else { return false }
            (state.isWatching, state.task, state.hasCanceled) = (false, nil, true)
            return true
        }
        if hasCanceled { canceled() }
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

extension URLSession {
    /// The queue on which the session invalidates itself.
    var workQueue: DispatchQueue? {
        Reflection.property("workQueue", of: self) as? DispatchQueue
    }

    /// How long to wait before changing the tasks of a session that has just been invalidated.
    ///
    /// `invalidateAndCancel()` sets the flag on the queue, and then reads the tasks on its own thread.
    /// A change at that moment crashes the process. A change that is already under way cannot be
    /// prevented. A user's own tasks have the same problem.
    fileprivate static let invalidationTime = DispatchTimeInterval.milliseconds(5)

    /// Whether the session is invalidated.
    ///
    /// `finishTasksAndInvalidate()` returns before the session is invalidated. So the flag is read
    /// on the same queue, after the invalidation.
    var isInvalidated: Bool { isInvalidated(on: workQueue) }

    fileprivate func isInvalidated(on workQueue: DispatchQueue?) -> Bool {
        workQueue?.sync { invalidatedFlag } ?? invalidatedFlag
    }

    /// The stored flag, or `false` if a later version of the system stores it elsewhere.
    private var invalidatedFlag: Bool {
        Reflection.property("invalidated", of: self) as? Bool ?? false
    }

    /// Makes a task that is never resumed, unless the session is invalidated.
    ///
    /// A session ends the process if it is asked for a task after its invalidation. Checking its flag
    /// first is not enough, because any thread may invalidate the session before it makes the task.
    /// Both functions that invalidate a session set the flag on its queue, so this function suspends
    /// the queue before it reads the flag. After its own check, the session reads the URL of the
    /// request to find cookies, and that read resumes the queue. Then it reads the body, and adds
    /// the task to its table. If the session is invalidated by then, reading the body waits for 5
    /// ms.
    ///
    /// - Parameters:
    ///   - url: A URL that a protocol of the session supports.
    ///   - ended: Called when the task is canceled.
    /// - Returns: The task, or `nil` if the session is invalidated.
    func makeWatchTask(_ url: URL, ended: @escaping @Sendable () -> Void) -> URLSessionTask? {
        var request = URLRequest(url: url)
        if let workQueue, readsCookies {
            let isValid = workQueue.sync {
                guard !invalidatedFlag else { return false }
                workQueue.suspend()
                return true
            }
            guard isValid else { return nil }
            let suspended = SuspendedQueue(workQueue)
            let watched = WatchedRequest(url: url)
            watched.urlIsRead = { suspended.resume() }
            let wasRead = Locked(false)
            watched.bodyIsRead = { [weak self] in
                // A protocol may read the body again, on the queue.
                let isFirst =
                    suspended.isResumed
                    && wasRead.withLock { wasRead in
                        defer { wasRead = true }
                        return !wasRead
                    }
                guard isFirst, self?.isInvalidated(on: workQueue) == true else { return }
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.invalidationTime)
            }
            request = ._unconditionallyBridgeFromObjectiveC(watched)
        } else if isInvalidated(on: workQueue) {
            return nil
        }
        // A download task, because it does not read the cache.
        return downloadTask(with: request) { _, _, _ in ended() }
    }

    /// Whether the session reads the URL of each request to find cookies.
    private var readsCookies: Bool {
        guard let settings = Reflection.property("_configuration", of: self) else { return false }
        return Reflection.property("httpShouldSetCookies", of: settings) as? Bool == true
            && Reflection.property("httpCookieStorage", of: settings) != nil
    }
}

/// A request that reports when its URL and its body are read.
final class WatchedRequest: NSMutableURLRequest {
    var urlIsRead: @Sendable () -> Void = {}
    var bodyIsRead: @Sendable () -> Void = {}

    override var url: URL? {
        get {
            urlIsRead()
            return super.url
        }
        set { super.url = newValue }
    }

    override var httpBody: Data? {
        get {
            bodyIsRead()
            return super.httpBody
        }
        set { super.httpBody = newValue }
    }

    // A `URLRequest` copies the object that it is made from.
    override func mutableCopy(with zone: NSZone? = nil) -> Any { self }
}

/// A suspended queue, which is resumed once.
final class SuspendedQueue: Sendable {
    /// How long the queue stays suspended if a later version of the system does not read the URL.
    private static let limit = DispatchTimeInterval.seconds(1)

    private let queue: Locked<DispatchQueue?>

    var isResumed: Bool { queue.withLock { $0 == nil } }

    init(_ queue: DispatchQueue) {
        self.queue = Locked(queue)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { self.resume() }
    }

    func resume() {
        queue.withLock { $0.take() }?.resume()
    }
}

#endif
