import APIKit
import Foundation

extension MockServer {
    /// A pattern with its replies, and the requests that it served.
    ///
    /// `MockServer.on` returns it, to be asked about them when the test has done its work.
    public final class Route: Sendable {
        typealias Responder = @Sendable (RecordedRequest) async throws -> MockResponse

        enum Script: Sendable {
            case replies([MockResponse])
            case responder(Responder)
        }

        enum Claim {
            case reply(MockResponse)
            case responder(Responder)
            /// The route serves nothing more, so that an earlier one may.
            case usedUp
            /// The request must not be made at all.
            case forbidden
        }

        private struct State {
            var served: [RecordedRequest] = []
            var isRemoved = false
            /// Whether a failure has told already what this route was short of.
            var isReported = false
        }

        /// The pattern of the requests that the route answers.
        public let pattern: RequestPattern

        let times: Times
        let script: Script
        let location: SourceCodeLocation
        /// The place in the order of registration.
        let number: Int
        private let state = Locked(State())

        init(
            _ pattern: RequestPattern, script: Script, times: Times?, number: Int,
            location: SourceCodeLocation
        ) {
            self.pattern = pattern
            self.script = script
            self.number = number
            self.location = location
            // Without a count, a route that nothing asked for and a reply that nothing received are
            // mistakes both.
            self.times = times ?? .atLeast(max(1, script.replyCount))
        }

        /// The requests that the route served, in order.
        public var requests: [RecordedRequest] {
            state.withLock { $0.served }
        }

        /// Takes the route away: it serves nothing more, and nothing more is expected of it.
        public func remove() {
            state.withLock { $0.isRemoved = true }
        }

        /// Takes the next reply for a request.
        ///
        /// Of several requests at once, each gets its own.
        func claim(_ request: RecordedRequest) -> Claim {
            state.withLock { state in
                if state.isRemoved { return .usedUp }
                if times == .never { return .forbidden }
                guard state.served.count < times.range.upperBound else { return .usedUp }
                state.served.append(request)
                switch script {
                case .responder(let responder):
                    return .responder(responder)
                case .replies(let replies):
                    let last = replies.last ?? MockResponse()
                    return .reply(
                        state.served.count <= replies.count ? replies[state.served.count - 1] : last
                    )
                }
            }
        }

        var isRemoved: Bool { state.withLock { $0.isRemoved } }

        /// Leaves what the route is short of to a failure that already tells of it.
        func markReported() {
            state.withLock { $0.isReported = true }
        }

        /// What the route is short of, unless that was told before.
        var shortfall: String? {
            state.withLock { state in
                guard !state.isRemoved, !state.isReported,
                    state.served.count < times.range.lowerBound
                else { return nil }
                return text(ofShortfallAfter: state.served.count)
            }
        }

        private func text(ofShortfallAfter count: Int) -> String {
            let replies = script.replyCount
            if count > 0, count < replies {
                return "\(pattern) served \(count) of its \(replies) replies: "
                    + "the rest were never asked for."
            }
            return "\(pattern) was requested \(counted(count)), expected \(times)."
        }
    }
}

extension MockServer.Route.Script {
    var replyCount: Int {
        if case .replies(let replies) = self { replies.count } else { 0 }
    }
}

/// A number of times, in words.
func counted(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
}
