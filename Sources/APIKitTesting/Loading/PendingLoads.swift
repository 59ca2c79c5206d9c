import APIKit
import Foundation

/// The loads in progress of a server, which end when the server is released.
final class PendingLoads: Sendable {
    private struct State {
        var loads: [Int: (delivery: Delivery, url: URL)] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    /// Adds a load, and returns the identifier that removes it.
    func add(_ delivery: Delivery, url: URL) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.loads[state.nextID] = (delivery, url)
            return state.nextID
        }
    }

    func remove(_ id: Int) {
        state.withLock { _ = $0.loads.removeValue(forKey: id) }
    }

    /// Fails all loads, because their server is gone.
    func end() {
        let loads = state.withLock { $0.loads.values.map { $0 } }
        for load in loads { load.delivery.fail(with: MockLoadingError.serverIsGone(load.url)) }
    }
}
