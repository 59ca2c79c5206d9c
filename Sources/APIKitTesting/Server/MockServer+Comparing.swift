import APIKit
import Foundation

extension MockServer {
    /// Compares the replies of routes with a recording, which it does not replay.
    ///
    /// The JSON of a reply with a status of 2xx is compared with the recorded responses to the same
    /// method and path. A member that these do not have, or of another kind, is a warning at the line
    /// of the route when the test ends. A reply may lack members. A server that replays a recording
    /// compares its routes with that recording anyway.
    ///
    /// - Parameters:
    ///   - cassette: The recording.
    ///   - fileID: The file of a failure, if there is no such recording.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func compareStubs(
        with cassette: Cassette,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        compareStubs(with: cassette, at: SourceCodeLocation(fileID, filePath, line, column))
    }

    func compareStubs(with cassette: Cassette, at location: SourceCodeLocation) {
        let tape = Tape(RecordingFile(cassette.inFile(location.filePath)), at: location)
        state.withLock { state in
            state.references.append(tape)
            if let problem = tape.problem { state.add(problem) }
        }
    }
}

extension MockServer.State {
    /// Writes the recordings at the end of a test that has passed.
    ///
    /// - Returns: The failures to write or to check them, and all warnings.
    func finish(testHasPassed: Bool) -> [TestFailure] {
        for (request, response) in zip(journal, played) where response.isEndedStream {
            response.tape?.add(response.entry(of: request), number: request.number)
        }
        let found = tapes.flatMap { $0.finish(testHasPassed: testHasPassed) } + warnings
        return TestRun.current.isStrict ? found.map(\.asFailure) : found
    }

    /// The warnings about replies that differ from a recording.
    var warnings: [TestFailure] {
        let tapes = references + tapes
        guard !tapes.isEmpty else { return [] }
        let served = zip(journal, played).compactMap { request, response in
            response.route.map { (route: ObjectIdentifier($0), entry: response.entry(of: request)) }
        }
        var lines: [ObjectIdentifier: [String]] = [:]
        for tape in served.isEmpty ? [] : tapes {
            let differences = tape.differences(ofStubs: served.map(\.entry))
            for (stub, found) in zip(served, differences) {
                lines[stub.route, default: []] += found
            }
        }
        return routes.compactMap { route in
            guard let lines = lines[ObjectIdentifier(route)], !lines.isEmpty else { return nil }
            var list = LimitedList()
            for line in Set(lines).sorted() { list.add(line) }
            return TestFailure(
                "The reply of \(route.pattern) differs from the recorded responses:"
                    + list.text(of: "difference"), at: route.location
            ).asWarning
        }
    }
}
