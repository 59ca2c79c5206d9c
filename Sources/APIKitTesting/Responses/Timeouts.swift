import Foundation

/// How long a load may take, as far as anybody has said so.
///
/// The system lets no mock time out on Linux, and on Apple platforms not every one, so the server
/// does it, on its clock. The defaults of the system, a minute and a week, do not count: a test that
/// delays an answer by an hour means it.
struct Timeouts: Sendable {
    /// The time without any news.
    private var idle: Duration?
    /// The time from start to end.
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
        // Three decades end no test, and a duration cannot hold every greater number.
        interval != standard && interval > 0 && interval < 1e9
    }

    /// The time that the load may go on without news.
    func limit(after elapsed: Duration) -> Duration? {
        let rest = total.map { max(.zero, $0 - elapsed) }
        return [idle, rest].compactMap { $0 }.min()
    }
}
