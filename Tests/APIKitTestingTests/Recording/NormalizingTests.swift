import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The forms of fields that each entry has.
@Suite(.inTurn) struct NormalizingTests {
    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2", ["a=1", "b=2"]),
        ("a=x,y; Path=/, b=2", ["a=x,y; Path=/", "b=2"]),
        ("a=1, user[token]=2", ["a=1", "user[token]=2"]),
        (
            "a=1; expires=Thu, 01 Jan 2037 00:00:00 GMT; Path=/, b=2; Expires=Thu, 01-Jan-37 0:0:0 GMT",
            [
                "a=1; expires=Thu, 01 Jan 2037 00:00:00 GMT; Path=/",
                "b=2; Expires=Thu, 01-Jan-37 0:0:0 GMT",
            ]
        ),
    ])
    func joinedCookiesAreSplit(field: String, cookies: [String]) {
        let entry = RecordedExchange.make(responseFields: [.init(name: "Set-Cookie", value: field)])

        #expect(entry.normalized.response.fields.map(\.value) == cookies)
    }

    @Test func cookiesAreRecordedInTheOrderOfTheirNames() {
        let entry = RecordedExchange.make(headers: ["Cookie": "b=2;c=3; a=1"])

        #expect(entry.normalized.request.headers == ["Cookie": "a=1; b=2; c=3"])
    }

    @Test func fieldsOfTheConnectionAreDropped() {
        let fields = [
            ("A", "1"), ("Connection", "close, X-Hop"), ("Date", "Thu, 01 Jan 2037 00:00:00 GMT"),
            ("Keep-Alive", "timeout=5"), ("Trailer", "X-T"), ("Transfer-Encoding", "chunked"),
            ("Upgrade", "h2c"), ("X-B", "2"), ("x-hop", "1"),
        ].map { HeaderField(name: $0, value: $1) }

        let entry = RecordedExchange.make(responseFields: fields)
        #expect(entry.normalized.response.fields.map(\.name) == ["A", "Date", "X-B"])
    }
}
