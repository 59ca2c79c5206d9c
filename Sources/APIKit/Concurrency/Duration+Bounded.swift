extension Duration {
    /// The longest duration that every clock can wait for: some 73 billion years.
    ///
    /// Clocks trap on times that exceed `Int64.max` seconds, and the sum of two such durations stays
    /// below.
    package static let longest: Duration = .seconds(Int64.max / 4)

    /// The duration, at most the longest one in either direction.
    package var bounded: Duration { max(.zero - .longest, min(self, .longest)) }
}

extension Duration {
    /// Creates a duration of any number of seconds.
    ///
    /// A negative number is zero. NaN and a number of more than 30 billion years are the longest
    /// duration, since their conversion would trap.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1e18 ? .seconds(max(seconds, 0)) : .longest
    }
}
