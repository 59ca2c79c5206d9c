/// A regular expression for a whole path.
struct PathExpression: Sendable {
    /// The expected path in a failure.
    let expectation = "a whole match of the regular expression"

    private let match: @Sendable (String) -> [String: String]?

    /// Creates an expression.
    ///
    /// - Parameter regex: Makes the `Regex` for each path, because a `Regex` is not `Sendable`.
    init<Output>(_ regex: @escaping @Sendable () -> Regex<Output>) {
        match = { path in
            path.wholeMatch(of: Regex<AnyRegexOutput>(regex())).map { match in
                match.output.reduce(into: [:]) { parameters, capture in
                    guard let name = capture.name, let text = capture.substring else { return }
                    parameters[name] = String(text)
                }
            }
        }
    }

    /// Returns the values of the named captures, or `nil` if the path does not match.
    func parameters(in segments: [String]) -> [String: String]? {
        match("/" + segments.joined(separator: "/"))
    }
}
