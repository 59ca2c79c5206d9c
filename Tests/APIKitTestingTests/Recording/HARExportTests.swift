import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Files as browsers and proxies export them, with what they add to the format.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct HARExportTests {
    private func file(_ name: String) throws -> HARFile {
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/HAR/\(name)", withExtension: "har"))
        return try HARFile(data: Data(contentsOf: url))
    }

    /// A request that a client sends, and the recorded response.
    struct Exchange: Sendable {
        var request: URLRequest
        var status = 200
        var body: Data
    }

    private static func get(_ url: String, _ body: String) -> Exchange {
        Exchange(request: .make("GET", url), body: Data(body.utf8))
    }

    private static func send(
        _ method: String, _ url: String, _ type: String, _ body: String, status: Int = 200,
        reply: Data
    ) -> Exchange {
        let request = URLRequest.make(
            method, url, headers: ["Content-Type": type], body: Data(body.utf8))
        return Exchange(request: request, status: status, body: reply)
    }

    private static let exchanges: [String: [Exchange]] = [
        "safari": [
            get("/dogs?page=1", #"[{"name":"Rex"},{"name":"Ö"}]"#),
            Exchange(request: .make("GET", "/dogs/1/picture"), body: picture),
            send(
                "POST", "/login", "application/x-www-form-urlencoded", "city=S%c3%a8te&name=Ada",
                reply: Data("home".utf8)),
        ],
        "chrome": [
            get("https://API.example.com/dogs/7", #"{"id":7,"name":"Rex 🐕","age":3}"#),
            send(
                "POST", "/dogs", "application/json", #"{"name":"Rex"}"#, status: 201, reply: Data()),
            Exchange(
                request: .make("GET", "http://shop.example.com:80/caf%c3%a9"),
                body: Data([0x63, 0x61, 0x66, 0xE9])),
        ],
        "firefox": [
            get("/dogs?tag=old&tag=small", #"[{"name":"Rex"}]"#),
            send(
                "POST", "/search", "application/x-www-form-urlencoded", "q=big%20dog",
                reply: picture),
            Exchange(request: .make("GET", "/large"), status: 204, body: Data()),
        ],
        "charles": [
            send(
                "POST", "/login", "application/x-www-form-urlencoded;charset=utf-8",
                "name=Ada%20%26%20%C3%96&empty=", reply: picture)
        ],
        "mitmproxy": [
            get("/dogs?name=%c3%96", #"[{"name":"Ö 🐕"}]"#),
            send("PUT", "/dogs/7/picture", "text/plain", "hello", reply: picture),
        ],
    ]

    @Test(arguments: exchanges.keys.sorted())
    func exportReplays(name: String) async throws {
        let folder = try RecordingFolder()
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/HAR/\(name)", withExtension: "har"))
        try folder.write(String(decoding: Data(contentsOf: url), as: UTF8.self), name)
        let server = folder.server(
            replaying: Cassette(name, matching: [.method, .url, .body], mode: .none))
        // The export of Safari ends at the redirect.
        server.on(.get("/home"), reply: .text("home"), times: .anyNumber)

        for exchange in try #require(Self.exchanges[name]) {
            let (data, response) = try await server.session.send(exchange.request)
            #expect(data == exchange.body)
            #expect((response as? HTTPURLResponse)?.statusCode == exchange.status)
        }
        #expect(server.failures.isEmpty)
    }

    private static let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    @Test(arguments: [
        (
            "safari",
            [
                """
                1772612127482: accept cookie, content-type content-encoding set-cookie set-cookie
                """,
                "nil: , content-type",
                "1772612128001: content-type, location content-length",
            ]
        ),
        (
            "chrome",
            [
                """
                1772612127482: accept accept-encoding sec-ch-ua, content-encoding content-type set-cookie \
                set-cookie
                """,
                "1772612128000: content-length content-type, location content-length",
                "1772612128300: user-agent, content-type content-length",
            ]
        ),
        (
            "charles",
            ["1772612127482: content-type, content-length"]
        ),
    ])
    func exportHasDatesAndFields(name: String, summaries: [String]) throws {
        let found = try file(name).entries.map { entry in
            let date = entry.startedAt.map { "\(Int(($0.timeIntervalSince1970 * 1000).rounded()))" }
            let names = [entry.request.fields, entry.response.fields].map { fields in
                fields.map { $0.name.lowercased() }.joined(separator: " ")
            }
            return "\(date ?? "nil"): \(names.joined(separator: ", "))"
        }

        #expect(found == summaries)
    }

    @Test func base64OfCharlesIsNoBodyUntilItSaysSo() throws {
        let unreadable = try file("charles").unreadable

        #expect(unreadable.map { $0.hasPrefix("log.entries[2] has base64 in request.") } == [true])
    }
}
