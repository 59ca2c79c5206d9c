import APIKit
import Foundation

@testable import APIKitTesting

extension RecordedExchange {
    /// The placeholders of recordings in memory.
    static let placeholders = (1...9).map { "REDACTED000\($0)" }

    /// Makes an entry of a host that does not exist.
    static func make(
        _ method: String = "GET",
        _ path: String = "/",
        headers: [String: String] = [:],
        body: String = "",
        hasBody: Bool = true,
        status: Int = 200,
        responseFields: [HeaderField] = [],
        reply: String = "",
        startedAt: Date = Date(timeIntervalSince1970: 0)
    ) -> RecordedExchange {
        var request = RecordedRequest(
            method, .make(path), fields: [HeaderField](headers), body: Data(body.utf8))
        request.hasBody = hasBody
        return RecordedExchange(
            startedAt: startedAt, request: request,
            response: RecordedResponse(
                status: status, fields: responseFields, body: Data(reply.utf8)))
    }

    /// Returns the exchange with other parts of its request.
    func sending(
        _ url: URL? = nil, fields: [HeaderField]? = nil, body: Data? = nil
    ) -> RecordedExchange {
        var other = self
        other.request = request.with(
            url ?? request.url, fields: fields ?? request.fields, body: body ?? request.body)
        return other
    }
}

extension RecordedExchange: Equatable {
    /// Compares what a file holds.
    public static func == (first: RecordedExchange, second: RecordedExchange) -> Bool {
        first.json == second.json
    }
}

extension HARFile: Equatable {
    /// Compares the entries, the placeholders and the mistakes.
    public static func == (first: HARFile, second: HARFile) -> Bool {
        first.entries == second.entries && first.placeholders == second.placeholders
            && first.unreadable == second.unreadable
    }
}

extension MockServer {
    /// Replays entries in memory.
    @discardableResult
    func replay(
        _ entries: [RecordedExchange], of cassette: Cassette = Cassette("users"),
        problem: String? = nil, line: Int = #line
    ) -> Tape {
        let tape = Tape(
            RecordingFile(
                cassette: cassette, test: "Tests", mode: .none,
                content: HARFile(entries: entries, placeholders: RecordedExchange.placeholders),
                problem: problem),
            at: SourceCodeLocation(#fileID, #filePath, line, 1))
        replay(tape)
        return tape
    }
}
