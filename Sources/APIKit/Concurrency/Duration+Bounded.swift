extension Duration {
    /// The longest duration that every clock can wait for: some 73 billion years.
    ///
    /// Clocks trap on times that exceed `Int64.max` seconds, and the sum of two such durations stays
    /// below.
    package static let longest: Duration = .seconds(Int64.max / 4)

    /// The duration, at most the longest one in either direction.
    package var bounded: Duration { max(.zero - .longest, min(self, .longest)) }
}
