import Foundation

#if !canImport(FoundationNetworking)

/// The thread that started a URL protocol, on which its client has to be called.
struct LoadingThread: @unchecked Sendable {
    private let runLoop: CFRunLoop? = CFRunLoopGetCurrent()
    // The loading system may run the loop in a private mode.
    private let modes =
        [RunLoop.Mode.default, RunLoop.current.currentMode ?? .default]
        .map(\.rawValue) as CFArray

    func run(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(runLoop, modes, work)
        CFRunLoopWakeUp(runLoop)
    }
}

#endif
