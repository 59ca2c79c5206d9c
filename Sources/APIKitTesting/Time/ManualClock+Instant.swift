import APIKit

extension ManualClock {
    /// An instant of the clock, as a duration since the clock's creation.
    public struct Instant: InstantProtocol {
        let offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: (offset + duration.bounded).bounded)
        }

        /// Returns the duration from this instant to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns whether an instant is earlier than another.
        public static func < (first: Instant, second: Instant) -> Bool {
            first.offset < second.offset
        }
    }
}
