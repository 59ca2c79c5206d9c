extension Result where Failure == any Error {
    /// Keeps what an asynchronous function throws.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
