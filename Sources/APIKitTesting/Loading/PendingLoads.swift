import APIKit
import Foundation

/// The loads that a server has not yet ended, so that it can end them when it goes.
final class PendingLoads: Sendable {
    private struct State {
        var loads: [Int: (delivery: Delivery, url: URL)] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    /// Adds a load, and returns the number to remove it by.
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

    /// Ends the loads with an error that says why.
    func end() {
        let loads = state.withLock { $0.loads.values.map { $0 } }
        for load in loads { load.delivery.fail(with: MockLoadingError.serverIsGone(load.url)) }
    }
}
