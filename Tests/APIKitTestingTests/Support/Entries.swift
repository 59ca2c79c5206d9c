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

    /// Makes an entry of this run.
    static func recent(_ path: String, _ body: String = "") -> RecordedExchange {
        make("GET", path, reply: body, startedAt: Date())
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

extension Data {
    /// Returns a HAR file with one entry, and members in addition to the required ones.
    static func har(
        _ method: String = "POST", url: String = "https://h.example/",
        request: String = #""headers": []"#, status: String = "200",
        response: String = #""content": {"size": 0}"#, entry: String = #""cache": {}"#,
        creator: String = "Tool"
    ) -> Data {
        Data(
            """
            {"log": {"creator": {"name": "\(creator)"}, "entries": [{
              \(entry),
              "request": {"method": "\(method)", "url": "\(url)", \(request)},
              "response": {"status": \(status), \(response)}
            }]}}
            """.utf8)
    }
}
