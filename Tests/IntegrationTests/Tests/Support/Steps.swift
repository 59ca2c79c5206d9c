import APIKit

/// The steps of a transfer.
final class Steps: Sendable {
    private let steps = Lock<[TransferProgress]>([])

    var count: Int { steps.withLock { $0.count } }

    var last: TransferProgress? { steps.withLock { $0.last } }

    func append(_ step: TransferProgress) { steps.withLock { $0.append(step) } }
}
