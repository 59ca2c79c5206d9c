extension Task where Success == Void, Failure == Never {
    /// Starts a task on the calling thread, where it runs until it first waits.
    ///
    /// A task that starts elsewhere wakes another thread. Older systems can only do that. Until the
    /// operation first waits, nothing can cancel it, and its caller cannot continue. So call it with
    /// no lock held, and with an operation that soon waits.
    package static func startedHere(
        _ operation: @escaping @Sendable () async -> Void
    ) -> Task {
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return .immediate(operation: operation)
        }
        #endif
        return Task(operation: operation)
    }
}
