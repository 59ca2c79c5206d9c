import Foundation

#if !canImport(FoundationNetworking)

/// The thread on which the client of a URL protocol has to be called: the one that started it.
struct LoadingThread: @unchecked Sendable {
    private let runLoop: CFRunLoop? = CFRunLoopGetCurrent()
    // The loading system may run the loop in a mode of its own.
    private let modes =
        [RunLoop.Mode.default, RunLoop.current.currentMode ?? .default]
        .map(\.rawValue) as CFArray

    func run(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(runLoop, modes, work)
        CFRunLoopWakeUp(runLoop)
    }
}

#endif
