extension Duration {
    /// The longest duration that every clock can wait for: some 73 billion years.
    ///
    /// Clocks trap on times above `Int64.max` seconds. The sum of two such durations is below that
    /// limit.
    package static let longest: Duration = .seconds(Int64.max / 4)

    /// The duration, clamped to the longest one in either direction.
    package var bounded: Duration { max(.zero - .longest, min(self, .longest)) }
}

extension Duration {
    /// Creates a duration from any number of seconds.
    ///
    /// A negative number becomes zero. NaN and numbers above 30 billion years become the longest
    /// duration, because their conversion would trap.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1e18 ? .seconds(max(seconds, 0)) : .longest
    }
}
