/// Work to measure: its preparation, and a run to repeat.
public struct Workload: Sendable {
    /// One run.
    public typealias Run = @Sendable () async throws -> Void

    /// The name of the work.
    public let name: String

    /// The number of repetitions in a run.
    public let count: Int

    /// The number of bytes that a run transfers or parses, or `nil` if the throughput is not
    /// measured.
    public let byteCount: Int?

    /// Whether the command that the workload runs is installed.
    public let isAvailable: Bool

    private let makeRun: @Sendable () async throws -> Run

    init(
        _ name: String, count: Int = 1, byteCount: Int? = nil, isAvailable: Bool = true,
        prepare makeRun: @escaping @Sendable () async throws -> Run
    ) {
        self.name = name
        self.count = count
        self.byteCount = byteCount
        self.isAvailable = isAvailable
        self.makeRun = makeRun
    }

    /// Prepares the workload, and returns a run that shares no state with earlier ones.
    public func prepare() async throws -> Run { try await makeRun() }

    /// Returns a run that retains another value.
    static func run<Result>(
        keeping other: some Sendable, _ run: @escaping @Sendable () async throws -> Result
    ) -> @Sendable () async throws -> Result {
        return {
            defer { withExtendedLifetime(other) {} }
            return try await run()
        }
    }
}

/// The error of a run that returns a wrong result.
///
/// The time of such a run has no meaning.
struct WrongResult: Error {
    static func unless(_ isRight: Bool) throws {
        guard isRight else { throw WrongResult() }
    }
}
