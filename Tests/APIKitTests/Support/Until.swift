import Testing

/// Waits until a condition holds of which no signal tells.
///
/// There is no limit, because a busy machine may take any time. The time limit of the suite ends a
/// wait in vain.
func until(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async rethrows {
    while try !condition() {
        guard !Task.isCancelled else {
            Issue.record("Waited in vain until \(what).", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
