import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Files as browsers and proxies export them, with what they add to the format.
@Suite struct HARExportTests {
    private func entries(_ name: String) throws -> [HAREntry] {
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/HAR/\(name)", withExtension: "har"))
        return try HARFile(data: Data(contentsOf: url)).entries
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
                "name=Ada%20%26%20%C3%96&empty=", reply: picture),
            send(
                "PUT", "/dogs/7", "application/json", #"{ "name": "Rex" }"#,
                reply: Data(#"{"updated":true}"#.utf8)),
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

    @Test func safariExportIsRead() throws {
        let entries = try entries("safari")

        #expect(
            entries == [
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_482),
                    request: .init(
                        method: "GET", url: "https://api.example.com/dogs?page=1",
                        headers: [
                            .init(name: "Accept", value: "application/json"),
                            .init(name: "Cookie", value: "theme=dark"),
                        ]),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "Content-Type", value: "application/json; charset=utf-8"),
                            .init(name: "Content-Encoding", value: "gzip"),
                            .init(
                                name: "Set-Cookie",
                                value: "theme=dark; Path=/; Secure, visits=3; Path=/"),
                        ],
                        body: Data(#"[{"name":"Rex"},{"name":"Ö"}]"#.utf8)),
                    wait: .milliseconds(60)),
                HAREntry(
                    startedAt: .milliseconds(0),
                    request: .init(method: "GET", url: "https://api.example.com/dogs/1/picture"),
                    response: .init(
                        status: 200, headers: [.init(name: "Content-Type", value: "image/png")],
                        body: Self.picture)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_001),
                    request: .init(
                        method: "POST", url: "https://api.example.com/login",
                        headers: [
                            .init(
                                name: "Content-Type", value: "application/x-www-form-urlencoded")
                        ],
                        body: Data("name=Ada&city=S%C3%A8te".utf8)),
                    response: .init(
                        status: 302,
                        headers: [
                            .init(name: "Location", value: "/home"),
                            .init(name: "Content-Length", value: "0"),
                        ]),
                    wait: .microseconds(30_250)),
            ])
    }

    @Test func chromeExportIsRead() throws {
        let entries = try entries("chrome")

        #expect(
            entries == [
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_482),
                    request: .init(
                        method: "GET", url: "https://api.example.com/dogs/7",
                        headers: [
                            .init(name: "accept", value: "application/json"),
                            .init(name: "accept-encoding", value: "gzip, deflate, br, zstd"),
                            .init(
                                name: "sec-ch-ua",
                                value: #""Chromium";v="140", "Not.A/Brand";v="8""#),
                        ]),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "content-encoding", value: "br"),
                            .init(name: "content-type", value: "application/json"),
                            .init(name: "set-cookie", value: "a=1; path=/"),
                            .init(
                                name: "set-cookie",
                                value: "b=2; path=/; expires=Fri, 05 Mar 2027 08:00:00 GMT"),
                        ],
                        body: Data(#"{"id":7,"name":"Rex 🐕","age":3}"#.utf8)),
                    wait: .microseconds(90_750)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_000),
                    request: .init(
                        method: "POST", url: "https://api.example.com/dogs",
                        headers: [
                            .init(name: "content-type", value: "application/json"),
                            .init(name: "content-length", value: "15"),
                        ],
                        body: Data(#"{"name": "Rex"}"#.utf8)),
                    response: .init(
                        status: 201,
                        headers: [
                            .init(name: "location", value: "/dogs/8"),
                            .init(name: "content-length", value: "0"),
                        ]),
                    wait: .milliseconds(12)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_300),
                    request: .init(
                        method: "GET", url: "http://shop.example.com/caf%C3%A9",
                        headers: [.init(name: "User-Agent", value: "Mozilla/5.0")]),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "Content-Type", value: "text/html; charset=ISO-8859-1"),
                            .init(name: "Content-Length", value: "4"),
                        ],
                        body: Data([0x63, 0x61, 0x66, 0xE9])),
                    wait: .microseconds(1500)),
            ])
    }

    @Test func firefoxExportIsRead() throws {
        let entries = try entries("firefox")

        #expect(
            entries == [
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_482),
                    request: .init(
                        method: "GET", url: "https://api.example.com/dogs?tag=small&tag=old",
                        headers: [
                            .init(name: "Host", value: "api.example.com"),
                            .init(name: "TE", value: "trailers"),
                        ]),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "content-type", value: "application/json"),
                            .init(name: "content-encoding", value: "gzip"),
                            .init(name: "set-cookie", value: "a=1"),
                            .init(name: "set-cookie", value: "b=2"),
                            .init(name: "X-Firefox-Spdy", value: "h2"),
                        ],
                        body: Data(#"[{"name":"Rex"}]"#.utf8)),
                    wait: .milliseconds(57)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_000),
                    request: .init(
                        method: "POST", url: "https://api.example.com/search",
                        headers: [
                            .init(
                                name: "Content-Type", value: "application/x-www-form-urlencoded"),
                            .init(name: "Content-Length", value: "9"),
                        ],
                        body: Data("q=big+dog".utf8)),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "content-type", value: "image/png"),
                            .init(name: "content-length", value: "8"),
                        ],
                        body: Self.picture),
                    wait: .milliseconds(9)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_200),
                    request: .init(method: "GET", url: "https://api.example.com/large"),
                    response: .init(status: 204)),
            ])
    }

    @Test func charlesExportIsRead() throws {
        let entries = try entries("charles")

        #expect(
            entries == [
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_482),
                    request: .init(
                        method: "POST", url: "https://api.example.com/login",
                        headers: [
                            .init(
                                name: "content-type", value: "application/x-www-form-urlencoded")
                        ],
                        body: Data("name=Ada+%26+%C3%96&empty=".utf8)),
                    response: .init(
                        status: 200, headers: [.init(name: "content-length", value: "8")],
                        body: Self.picture),
                    wait: .milliseconds(47)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_900),
                    request: .init(
                        method: "PUT", url: "https://api.example.com/dogs/7",
                        headers: [
                            .init(name: "Content-Type", value: "application/json"),
                            .init(name: "Content-Length", value: "14"),
                        ],
                        body: Data(#"{"name":"Rex"}"#.utf8)),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "Content-Type", value: "application/json;charset=UTF-8"),
                            .init(name: "Transfer-Encoding", value: "chunked"),
                            .init(name: "Content-Encoding", value: "gzip"),
                        ],
                        body: Data(#"{"updated":true}"#.utf8)),
                    wait: .milliseconds(30)),
            ])
    }

    @Test func mitmproxyExportIsRead() throws {
        let entries = try entries("mitmproxy")

        #expect(
            entries == [
                HAREntry(
                    startedAt: .milliseconds(1_772_612_127_482),
                    request: .init(
                        method: "GET", url: "https://api.example.com/dogs?name=%C3%96",
                        headers: [.init(name: "accept", value: "*/*")]),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "content-type", value: "application/json"),
                            .init(name: "content-encoding", value: "gzip"),
                            .init(name: "set-cookie", value: "a=1; Path=/"),
                            .init(name: "set-cookie", value: "b=2; Path=/"),
                        ],
                        body: Data(#"[{"name":"Ö 🐕"}]"#.utf8)),
                    wait: .microseconds(60_500)),
                HAREntry(
                    startedAt: .milliseconds(1_772_612_128_000),
                    request: .init(
                        method: "PUT", url: "https://api.example.com/dogs/7/picture",
                        headers: [.init(name: "Content-Type", value: "text/plain")],
                        body: Data("hello".utf8)),
                    response: .init(
                        status: 200,
                        headers: [
                            .init(name: "Content-Type", value: "image/png"),
                            .init(name: "Content-Length", value: "8"),
                        ],
                        body: Self.picture),
                    wait: .milliseconds(11)),
            ])
    }
}

extension Date {
    fileprivate static func milliseconds(_ count: Int) -> Date {
        HARDate.date(milliseconds: Double(count))
    }
}
