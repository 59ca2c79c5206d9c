import APIKit
import Foundation

@testable import APIKitTesting

extension HAREntry {
    /// The placeholders of recordings in memory.
    static let placeholders = (1...9).map { "REDACTED000\($0)" }

    /// Makes an entry of a host that does not exist.
    static func make(
        _ method: String = "GET",
        _ path: String = "/",
        headers: [String: String] = [:],
        body: String = "",
        status: Int = 200,
        responseHeaders: [Field] = [],
        reply: String = "",
        startedAt: Date = Date(timeIntervalSince1970: 0),
        wait: Duration = .zero
    ) -> HAREntry {
        HAREntry(
            startedAt: startedAt,
            request: Request(
                method: method, url: URL.make(path).absoluteString,
                headers: headers.map { Field(name: $0.key, value: $0.value) },
                body: Data(body.utf8)),
            response: Response(status: status, headers: responseHeaders, body: Data(reply.utf8)),
            wait: wait)
    }
}

extension MockServer {
    /// Replays entries in memory.
    @discardableResult
    func replay(
        _ entries: [HAREntry], of cassette: Cassette = Cassette("users"), problem: String? = nil,
        line: Int = #line
    ) -> Tape {
        let tape = Tape(
            RecordingFile(
                cassette: cassette, test: "Tests", mode: .none,
                content: HARFile(entries: entries, placeholders: HAREntry.placeholders),
                problem: problem),
            at: SourceCodeLocation(#fileID, #filePath, line, 1))
        replay(tape)
        return tape
    }
}
