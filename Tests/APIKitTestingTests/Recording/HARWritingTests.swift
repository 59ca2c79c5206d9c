import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct HARWritingTests {
    @Test func placeholdersAreReadBack() throws {
        let file = HARFile(placeholders: ["REDACTED0001", "1002"])

        #expect(try HARFile(data: file.data) == file)
        #expect(try String(decoding: file.data, as: UTF8.self).contains("\"_placeholders\" : ["))
        #expect(try !String(decoding: HARFile().data, as: UTF8.self).contains("_placeholders"))
    }

    @Test func fileHasTheMembersOfTheSpecification() throws {
        var entry = RecordedExchange.make(
            "POST", "/dogs?a=1", headers: ["Content-Type": "text/plain"], body: "Ö/🐕",
            startedAt: Date(timeIntervalSince1970: 1_772_612_127.482))
        entry.test = "DogTests"
        entry.response = RecordedResponse(
            status: 302,
            fields: [
                .init(name: "set-cookie", value: "b=2"),
                .init(name: "Set-Cookie", value: "a=1"),
                .init(name: "Location", value: "/dogs/7"),
            ],
            body: Data([0x89, 0x50, 0x4E, 0x47]))
        entry.response.arrivedAt = entry.startedAt.map { $0 + 0.0125 }
        let headers = [("set-cookie", "b=2"), ("Set-Cookie", "a=1"), ("Location", "/dogs/7")]

        #expect(
            try JSONDecoder().decode(JSONValue.self, from: HARFile(entries: [entry]).data) == [
                "log": [
                    "version": "1.2", "creator": ["name": "APIKit", "version": "1"],
                    "entries": [
                        [
                            "startedDateTime": "2026-03-04T08:15:27.482Z", "time": 12.5,
                            "request": [
                                "method": "POST", "url": "https://api.example.com/dogs?a=1",
                                "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [],
                                "headers": [["name": "Content-Type", "value": "text/plain"]],
                                "postData": ["mimeType": "text/plain", "text": "Ö/🐕"],
                                "headersSize": -1, "bodySize": 7,
                            ],
                            "response": [
                                "status": 302, "statusText": "", "httpVersion": "HTTP/1.1",
                                "cookies": [],
                                "headers": .array(
                                    headers.map { ["name": .string($0.0), "value": .string($0.1)] }),
                                "content": [
                                    "size": 4, "mimeType": "", "text": "iVBORw==",
                                    "encoding": "base64",
                                ],
                                "redirectURL": "/dogs/7", "headersSize": -1, "bodySize": -1,
                            ],
                            "cache": [:], "timings": ["send": 0, "wait": 12.5, "receive": 0],
                            "_test": "DogTests",
                        ]
                    ],
                ]
            ])
    }

    @Test func writtenFileIsReadAsTheSameEntries() throws {
        var random = SeededGenerator(seed: 18)
        for _ in 0..<Stress.count(500) {
            let file = HARFile(
                entries: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    RecordedExchange.random(using: &random)
                })
            let data = try file.data

            #expect(try HARFile(data: data) == file)
            // The system's parser accepts the file, too.
            _ = try JSONSerialization.jsonObject(with: data)
        }
    }

    @Test func damagedFileIsRefusedOrRead() throws {
        var random = SeededGenerator(seed: 18)
        let file = HARFile(entries: (0..<3).map { _ in RecordedExchange.random(using: &random) })
        let text = String(decoding: try file.data, as: UTF8.self)
        var refusals = 0
        let count = Stress.count(1_000)
        for _ in 0..<count {
            do {
                _ = try HARFile(data: Data(text.garbled(using: &random).utf8))
            } catch let error as DecodingError {
                refusals += error.reason().isEmpty ? 0 : 1
            } catch {
                Issue.record(error)
            }
        }
        #expect(refusals > count / 4)
    }
}

extension RecordedExchange {
    fileprivate static func random(using random: inout SeededGenerator) -> RecordedExchange {
        RecordedExchange(
            startedAt: Date(
                timeIntervalSince1970:
                    Double(Int.random(in: -9...4_000_000_000_000, using: &random)) / 1000),
            request: RecordedRequest(
                .random(of: ["GET", "POST", "PURGE"], 1...1, using: &random),
                .make("https://h.example/" + .random(of: ["a", "%20", "?", "/"], using: &random)),
                fields: fields(using: &random), body: body(using: &random)),
            response: RecordedResponse(
                status: .random(in: 200...999, using: &random), fields: fields(using: &random),
                body: body(using: &random)))
    }

    /// Fields in the order of their names.
    private static func fields(using random: inout SeededGenerator) -> [HeaderField] {
        let types = [
            "text/plain", "text/plain; charset=ISO-8859-1", "text/html;charset=utf-8", "image/png",
        ]
        var fields = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            HeaderField(
                name: .random(of: ["a", "B", "-", "x"], 1...3, using: &random),
                value: .random(of: texts.filter { !$0.utf8.contains(0x0A) }, using: &random))
        }
        fields.append(
            HeaderField(name: "Content-Type", value: .random(of: types, 1...1, using: &random)))
        return fields.sorted { $0.name.lowercased() < $1.name.lowercased() }
    }

    private static func body(using random: inout SeededGenerator) -> Data {
        Bool.random(using: &random)
            ? .random(0...9, using: &random)
            : Data(String.random(of: texts, using: &random).utf8)
    }

    private static let texts = [
        "a", "\"", "\\", "/", "\n", "\r", "\r\n", "\t", "\u{0}", "\u{1}", "\u{1F}", "\u{7F}",
        "\u{8}",
        "\u{C}", "é", "€", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "🐕",
        "e\u{301}", "{\"a\":1}", "YQ==", "\u{1F}\u{8B}",
    ]
}
