import APIKit
import Foundation

/// The steps of a transfer.
final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var steps: [TransferProgress] = []

    var count: Int { lock.withLock { steps.count } }

    var last: TransferProgress? { lock.withLock { steps.last } }

    func append(_ step: TransferProgress) { lock.withLock { steps.append(step) } }
}
