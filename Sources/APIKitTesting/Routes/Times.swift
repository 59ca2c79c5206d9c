/// A number of requests: the maximum that a route serves, and the minimum that it requires.
///
/// An integer literal is an exact number. A request that a route allows `0` times fails the test.
public struct Times: Sendable, Equatable, ExpressibleByIntegerLiteral {
    let range: ClosedRange<Int>

    /// Creates an exact number, or zero for a negative integer.
    public init(integerLiteral count: Int) {
        range = max(0, count)...max(0, count)
    }

    private init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    /// Exactly once.
    public static let once: Times = 1
    /// Any number of times, including none.
    public static let anyNumber = atLeast(0)

    /// A number of times, or more.
    public static func atLeast(_ count: Int) -> Times {
        Times(max(0, count)...Int.max)
    }

    /// A number of times, or fewer.
    public static func atMost(_ count: Int) -> Times {
        Times(0...max(0, count))
    }
}

extension Times: CustomStringConvertible {
    /// The number in words.
    public var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, 0): "none"
        case (0, .max): "any number"
        case (let least, .max): "at least \(least)"
        case (0, let most): "at most \(most)"
        case (let count, _): "exactly \(count)"
        }
    }
}
