import APIKit
import Foundation

/// The exchanges with the real server in a test, in the order of the requests.
///
/// It keeps the body of each response in memory until the test ends.
final class Recorder: Sendable {
    private struct Exchange {
        let request: RecordedRequest
        let date: Date
        let start: ContinuousClock.Instant
        var head: HTTPURLResponse?
        var wait: Duration = .zero
        var body = Data()
        var isComplete = false
    }

    private let exchanges = Locked<[Exchange]>([])
    private let measuresDelays: Bool

    /// Creates a recorder without entries.
    ///
    /// - Parameter measuresDelays: Whether entries contain the time until the response head.
    init(measuresDelays: Bool = false) {
        self.measuresDelays = measuresDelays
    }

    /// Starts an entry for a request, at its place in the order.
    ///
    /// - Returns: A closure that receives the events of the response. The last one completes the
    ///   entry. A load that fails or is canceled has no last event, and leaves no entry.
    func begin(_ request: RecordedRequest) -> @Sendable ([LoadingEvent]) -> Void {
        let exchange = Exchange(
            request: request, date: Date().inMilliseconds, start: ContinuousClock.now)
        let index = exchanges.withLock { exchanges in
            exchanges.append(exchange)
            return exchanges.count - 1
        }
        return { [self] events in
            exchanges.withLock { exchanges in
                for event in events { record(event, in: &exchanges[index]) }
            }
        }
    }

    private func record(_ event: LoadingEvent, in exchange: inout Exchange) {
        switch event {
        case .response(let head):
            exchange.head = head
            if measuresDelays { exchange.wait = ContinuousClock.now - exchange.start }
        case .body(let data), .chunk(let data):
            exchange.body += data
        case .finished:
            exchange.isComplete = true
        case .failed:
            break
        }
    }

    /// The complete entries.
    var entries: [HAREntry] {
        exchanges.withLock { $0 }.compactMap { exchange in
            guard exchange.isComplete, let head = exchange.head else { return nil }
            let omitsContent = exchange.request.method == .head || head.statusCode == 304
            return HAREntry(
                startedAt: exchange.date,
                request: HAREntry.Request(exchange.request).normalized,
                response: HAREntry.Response(
                    status: head.statusCode,
                    headers: head.recordedFields(
                        ofLength: omitsContent ? nil : exchange.body.count),
                    body: exchange.body),
                wait: exchange.wait)
        }
    }
}
