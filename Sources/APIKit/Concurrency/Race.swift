/// Runs two operations at the same time, and returns the result of the first to end.
///
/// The other is canceled and awaited.
package func race<Value: Sendable>(
    _ first: @escaping @Sendable () async throws -> Value,
    _ second: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await first() }
        group.addTask { try await second() }
        defer { group.cancelAll() }
        // A group of two tasks always has a next result.
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
