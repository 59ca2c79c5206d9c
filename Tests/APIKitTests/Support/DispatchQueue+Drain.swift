import Dispatch

extension DispatchQueue {
    /// Waits until the queue has done all it was given so far.
    func drain() async {
        await withCheckedContinuation { continuation in
            async { continuation.resume() }
        }
    }
}
