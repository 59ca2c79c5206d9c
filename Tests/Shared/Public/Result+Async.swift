extension Result where Failure == any Error {
    /// Runs an async closure, and keeps its value or its error.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
