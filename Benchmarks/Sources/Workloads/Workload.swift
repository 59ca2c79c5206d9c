/// Something to time: what has to be there first, and a run that can be repeated.
public struct Workload: Sendable {
    /// One run.
    public typealias Run = @Sendable () async throws -> Void

    /// What a run does.
    public let name: String

    /// How many times a run does it.
    public let count: Int

    /// How many bytes go through a run, where that is what it is about.
    public let byteCount: Int?

    private let makeRun: @Sendable () async throws -> Run

    init(
        _ name: String, count: Int = 1, byteCount: Int? = nil,
        prepare makeRun: @escaping @Sendable () async throws -> Run
    ) {
        self.name = name
        self.count = count
        self.byteCount = byteCount
        self.makeRun = makeRun
    }

    /// Prepares the workload, and returns a run that shares nothing with those of other times.
    public func prepare() async throws -> Run { try await makeRun() }

    /// Returns a run that keeps something else for as long as there is the run.
    static func run(keeping other: some Sendable, _ run: @escaping Run) -> Run {
        return {
            defer { withExtendedLifetime(other) {} }
            try await run()
        }
    }
}

/// A run that did not do what it should: its time would mean nothing.
struct WrongResult: Error {
    static func unless(_ isRight: Bool) throws {
        guard isRight else { throw WrongResult() }
    }
}
