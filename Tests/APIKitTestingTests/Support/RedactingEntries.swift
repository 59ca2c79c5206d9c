import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A suite that redacts entries.
protocol RedactingEntries {}

extension RedactingEntries {
    static var uuid: String { "3f1c2b4d-1a2b-4c3d-8e9f-0a1b2c3d4e5f" }
    static var token: String { "q8Zt3kLw9Xv2Rb7Nc1Ym" }

    func entry(
        _ url: String = "https://h.example/", headers: [String: String] = [:], body: String = "",
        response: String = ""
    ) -> RecordedExchange {
        RecordedExchange(
            startedAt: Date(timeIntervalSince1970: 0),
            request: RecordedRequest(
                "POST", URL(string: url) ?? .make("/"), fields: [HeaderField](headers),
                body: Data(body.utf8)),
            response: RecordedResponse(status: 200, body: Data(response.utf8)))
    }

    /// Redacts entries of a new recording.
    func redact(
        _ entries: RecordedExchange..., by redaction: Redaction = .secrets
    ) -> [RecordedExchange] {
        var table = RecordedSecrets(after: [])
        return table.redact(entries, by: redaction)
    }

    func redacted(_ response: String) -> String {
        redact(entry(response: response))
            .map { String(decoding: $0.response.body, as: UTF8.self) }.joined()
    }
}
