import Testing

/// Waits until something holds that nobody announces, and fails the test if it never does.
func until(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("Waited in vain until \(what).", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
