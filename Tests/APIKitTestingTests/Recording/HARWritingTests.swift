import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct HARWritingTests {
    @Test func placeholdersAreReadBack() throws {
        let file = HARFile(placeholders: ["REDACTED0001", "1002"])

        #expect(try HARFile(data: file.data) == file)
        #expect(String(decoding: file.data, as: UTF8.self).contains("\"_placeholders\": ["))
        #expect(!String(decoding: HARFile().data, as: UTF8.self).contains("_placeholders"))
    }

    @Test func fileHasTheMembersOfTheSpecificationInOrder() {
        let entry = HAREntry(
            startedAt: HARDate.date(milliseconds: 1_772_612_127_482),
            request: .init(
                method: "POST", url: "https://api.example.com/dogs?a=1",
                headers: [
                    .init(name: "Content-Type", value: "application/json"),
                    .init(name: "Accept", value: "*/*"),
                ],
                body: Data("{\n\t\"name\": \"Ö/🐕\"\n}".utf8)),
            response: .init(
                status: 302,
                headers: [
                    .init(name: "set-cookie", value: "b=2"),
                    .init(name: "Set-Cookie", value: "a=1"),
                    .init(name: "Location", value: "/dogs/7"),
                    .init(name: "Content-Type", value: "image/png"),
                ],
                body: Data([0x89, 0x50, 0x4E, 0x47])),
            wait: .microseconds(12_500))
        let file = HARFile(entries: [entry])

        #expect(
            String(decoding: file.data, as: UTF8.self) == #"""
                {
                  "log": {
                    "version": "1.2",
                    "creator": {
                      "name": "APIKit",
                      "version": "1"
                    },
                    "entries": [
                      {
                        "startedDateTime": "2026-03-04T08:15:27.482Z",
                        "time": 12.5,
                        "request": {
                          "method": "POST",
                          "url": "https://api.example.com/dogs?a=1",
                          "httpVersion": "HTTP/1.1",
                          "cookies": [],
                          "headers": [
                            { "name": "Accept", "value": "*/*" },
                            { "name": "Content-Type", "value": "application/json" }
                          ],
                          "queryString": [],
                          "postData": {
                            "mimeType": "application/json",
                            "text": "{\n\t\"name\": \"Ö/🐕\"\n}"
                          },
                          "headersSize": -1,
                          "bodySize": 22
                        },
                        "response": {
                          "status": 302,
                          "statusText": "",
                          "httpVersion": "HTTP/1.1",
                          "cookies": [],
                          "headers": [
                            { "name": "Content-Type", "value": "image/png" },
                            { "name": "Location", "value": "/dogs/7" },
                            { "name": "set-cookie", "value": "b=2" },
                            { "name": "Set-Cookie", "value": "a=1" }
                          ],
                          "content": {
                            "size": 4,
                            "mimeType": "image/png",
                            "text": "iVBORw==",
                            "encoding": "base64"
                          },
                          "redirectURL": "/dogs/7",
                          "headersSize": -1,
                          "bodySize": -1
                        },
                        "cache": {},
                        "timings": {
                          "send": 0,
                          "wait": 12.5,
                          "receive": 0
                        }
                      }
                    ]
                  }
                }

                """#)
    }

    @Test func writtenFileIsReadAsTheSameEntries() throws {
        var random = SeededGenerator(seed: 18)
        for _ in 0..<Stress.count(1_000) {
            let file = HARFile(
                entries: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    HAREntry.random(using: &random)
                })
            let data = file.data

            #expect(try HARFile(data: data) == file)
            // The system's parser accepts the file, too.
            _ = try JSONSerialization.jsonObject(with: data)
        }
    }

    @Test func damagedFileIsRefusedOrRead() {
        var random = SeededGenerator(seed: 18)
        let file = HARFile(entries: (0..<3).map { _ in HAREntry.random(using: &random) })
        let text = String(decoding: file.data, as: UTF8.self)
        var refusals = 0
        let count = Stress.count(2_000)
        for _ in 0..<count {
            do {
                _ = try HARFile(data: Data(text.garbled(using: &random).utf8))
            } catch let error as JSONError {
                refusals += error.place.isEmpty ? 0 : 1
            } catch {
                Issue.record(error)
            }
        }
        #expect(refusals > count / 4)
    }

    @Test(arguments: [-1, 0, 1, 951_868_799_999, 1_772_612_127_001, 4_107_542_399_999])
    func dateIsReadAsWritten(milliseconds: Int) {
        let date = HARDate.date(milliseconds: Double(milliseconds))

        #expect(HARDate.parse(HARDate.text(of: date)) == date)
    }

    @Test func doublyCompressedBodyOfOwnFileIsRead() throws {
        let response = HAREntry.Response(
            status: 200, headers: [.init(name: "Content-Encoding", value: "gzip")],
            body: Data([0x1F, 0x8B, 0x08]))
        let file = HARFile(
            entries: [
                HAREntry(
                    startedAt: HARDate.date(milliseconds: 0),
                    request: .init(method: "GET", url: "https://h.example/"), response: response)
            ])

        #expect(try HARFile(data: file.data) == file)
    }
}

extension HAREntry {
    fileprivate static func random(using random: inout SeededGenerator) -> HAREntry {
        HAREntry(
            startedAt: HARDate.date(
                milliseconds: Double(Int.random(in: 0...4_000_000_000_000, using: &random))),
            request: Request(
                method: .random(of: ["GET", "POST", "PURGE"], 1...1, using: &random),
                url: "https://h.example/"
                    + .random(of: ["a", "%20", "?", "/"], using: &random),
                headers: fields(using: &random), body: body(using: &random)),
            response: Response(
                status: .random(in: 200...999, using: &random), headers: fields(using: &random),
                body: body(using: &random)),
            wait: .microseconds(Int.random(in: 0...9_999_999, using: &random)))
    }

    /// Fields in the order of their names.
    private static func fields(using random: inout SeededGenerator) -> [Field] {
        let types = [
            "text/plain", "text/plain; charset=ISO-8859-1", "text/html;charset=utf-8", "image/png",
        ]
        var fields = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Field(
                name: .random(of: ["a", "B", "-", "x"], 1...3, using: &random),
                value: .random(of: texts.filter { !$0.utf8.contains(0x0A) }, using: &random))
        }
        fields.append(
            Field(name: "Content-Type", value: .random(of: types, 1...1, using: &random)))
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
