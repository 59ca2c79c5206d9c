import Foundation

/// The timeouts that a request and its configuration set.
///
/// The system applies no timeout to a mock on Linux, and only some on Apple platforms. The server
/// applies them on its clock. It ignores the system's defaults of a minute and a week, so that a
/// test can delay a response by an hour.
struct Timeouts: Sendable {
    /// The longest time between two events.
    private var idle: Duration?
    /// The longest time of the whole load.
    private var total: Duration?

    init(of request: URLRequest, in configuration: URLSessionConfiguration?) {
        let own = [request.timeoutInterval, configuration?.timeoutIntervalForRequest]
        idle = own.compactMap { $0 }.first { Timeouts.isLimit($0, default: 60) }
            .map { .seconds($0) }
        let week: TimeInterval = 7 * 24 * 60 * 60
        total = configuration.map(\.timeoutIntervalForResource)
            .flatMap { Timeouts.isLimit($0, default: week) ? .seconds($0) : nil }
    }

    private static func isLimit(_ interval: TimeInterval, default standard: TimeInterval) -> Bool {
        // Treats intervals above 30 years as none, because greater ones can overflow `Duration`.
        interval != standard && interval > 0 && interval < 1e9
    }

    /// Returns the time until the load times out if no further event arrives.
    func limit(after elapsed: Duration) -> Duration? {
        let rest = total.map { max(.zero, $0 - elapsed) }
        return [idle, rest].compactMap { $0 }.min()
    }
}
