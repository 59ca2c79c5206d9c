import APIKit
import Foundation

extension Tape {
    /// The mistake that prevents the replay, which is also the error of the requests.
    var problem: TestFailure? {
        (file.problem ?? playlist.problem).map { TestFailure($0, at: location) }
    }

    /// The remedy of a failure that a new recording solves.
    var advice: String { "To record the requests again, run\n  \(file.command)" }

    /// Returns the failure of a recording with entries above the maximum age.
    func failureOfAge(at now: Date) -> TestFailure? {
        guard let maxAge = cassette.maxAgeInDays,
            let oldest = file.entries.map(\.startedAt).min()
        else { return nil }
        let age = Int(exactly: (now.timeIntervalSince(oldest) / 86_400).rounded(.down)) ?? .max
        guard age > maxAge else { return nil }
        return TestFailure(
            """
            The oldest entry of \(cassette.shownPath) was recorded \(age) days \
            ago, and the maximum is \(maxAge). \(advice)
            """,
            at: location)
    }

    /// Returns the failure of the entries that no request has used.
    ///
    /// - Parameter routes: The routes of the server, which may serve the requests of entries.
    /// - Returns: The failure, or `nil`.
    func shortfall(besides routes: [MockServer.Route]) -> TestFailure? {
        guard cassette.requiresAllEntries else { return nil }
        let unused = playlist.unusedEntries(besides: routes.flatMap(\.requests))
        guard !unused.isEmpty else { return nil }
        var list = LimitedList()
        for entry in unused { list.add("entry \(entry.number): \(entry.request)") }
        let subject = unused.count == 1 ? "An entry" : "\(unused.count) entries"
        let verb = unused.count == 1 ? "was" : "were"
        return TestFailure(
            """
            \(subject) of \(cassette.shownPath) \(verb) not requested:\(list.text(of: "request"))
            Make the missing requests, delete the entries, or pass requiresAllEntries: false if \
            several tests share the recording. \(advice)
            """,
            at: location)
    }
}
