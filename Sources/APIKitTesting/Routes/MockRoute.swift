import APIKit
import Foundation

/// A route of a server: a pattern with its replies, and the requests that it served.
public final class MockRoute: Sendable {
    private struct State {
        var served: [RecordedRequest] = []
        var isRemoved = false
        /// Whether a failure has already reported the shortfall.
        var isReported = false
    }

    /// The pattern of the requests that the route serves.
    public let pattern: RequestPattern

    let times: Times
    let location: SourceCodeLocation
    /// The place of the recorded replies, or `nil` for the route of a test.
    let entry: String?
    /// The positions of the replies in a recording.
    let indices: [Int]
    /// The position in the order of registration.
    let number: Int
    private let replies: [Reply]
    private let state = Locked(State())

    /// Creates a route with replies in turn, by default an empty 200.
    init(
        _ pattern: RequestPattern, replies: [Reply], times: Times?, number: Int,
        location: SourceCodeLocation, entry: String? = nil, indices: [Int] = []
    ) {
        (self.pattern, self.indices) = (pattern, indices)
        self.replies = replies.isEmpty ? [.response(.status(200))] : replies
        self.number = number
        self.location = location
        self.entry = entry
        // By default, an unused route, an unused reply and a second submit are failures.
        let count = self.replies.count
        self.times =
            times ?? (pattern.isSubmit ? Times(integerLiteral: count) : .atLeast(count))
    }

    /// The requests that the route served, in order.
    public var requests: [RecordedRequest] {
        state.withLock { $0.served }
    }

    /// Removes the route.
    ///
    /// It serves no further requests, and the test does not require any.
    public func remove() {
        state.withLock { $0.isRemoved = true }
    }

    /// Returns the reply to the next request, or `nil` if the route serves no more.
    ///
    /// Each of several concurrent requests takes the next reply.
    func claim(_ request: RecordedRequest) -> Reply? {
        state.withLock { state in
            guard !state.isRemoved, state.served.count < times.range.upperBound else {
                return nil
            }
            state.served.append(request)
            return replies[min(state.served.count, replies.count) - 1]
        }
    }

    /// Whether every matching request is a failure.
    var isForbidding: Bool { times == 0 && !isRemoved }

    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// The number of replies that no request has used, unless a failure has reported them.
    var unusedReplyCount: Int {
        state.withLock { $0.isReported ? 0 : max(0, replies.count - $0.served.count) }
    }

    /// Suppresses the route's shortfall, because another failure already reports it.
    func markReported() {
        state.withLock { $0.isReported = true }
    }

    /// Whether too few requests arrived and no failure has reported it.
    var hasShortfall: Bool {
        state.withLock { state in
            !state.isRemoved && !state.isReported
                && state.served.count < times.range.lowerBound
        }
    }

    /// Returns the text of the failure for too few requests, besides the newest later route that
    /// served a matching one.
    func shortfall(besides later: MockRoute?) -> String {
        let count = requests.count
        if count > 0, count < replies.count {
            return "\(pattern) served \(count) of its \(replies.count) replies. Make the other "
                + "requests, or remove the other replies."
        }
        if let later {
            return "\(pattern) served \(count) requests, expected \(times). A later route "
                + "(\(later.location.text)) served requests that match. Remove one of the routes."
        }
        return "\(pattern) was requested \(counted(count)), expected \(times). "
            + "Make and await the missing requests, or change the route's times."
    }
}
