extension Duration {
    /// About thirty years, which every clock can add to its current time.
    static let longestWait = Duration.seconds(1_000_000_000)

    /// The duration within the limits of a wait: not negative, and no longer than ``longestWait``.
    var asWait: Duration { min(max(self, .zero), .longestWait) }

    /// Creates a duration of any number of seconds.
    ///
    /// A negative number is zero, and NaN or a number beyond ``longestWait`` is the greatest number
    /// of seconds. The conversion of such a number would trap.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1_000_000_000 ? .seconds(max(seconds, 0)) : .seconds(Int64.max)
    }
}
