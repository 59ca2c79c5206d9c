#if os(macOS) || os(Linux)
import APIKit
import Foundation
import Testing

/// Commands in a real shell and, where it is installed, a real curl.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CURLShellTests {
    private static let curl = "/usr/bin/curl"

    static let nastyTexts = [
        "", "'", "''", "it's", "'\\''", "\"", "\\", "\\\\", "\\n", "\\'", "$HOME", "${HOME}",
        "$(id)", "`id`", "a b  c", " a ", "*", "?", "~", "!", "!!", "#", "&& id", "; id", "| cat",
        "> file", "< file", "(a)", "{a,b}", "[a-z]", "%", "%s%n%d", "%%", "@file", "-", "--", "-o",
        "line one\nline two", "\n", "a\n", "\n\na\n\n", "a\\\nb", "\ttab", "é", "日本語", "🐕‍🦺",
        "'\u{301}", "'\u{301}; exit 1; '\u{301}", "'\u{200D}$(id)'\u{200D}",
        "\u{FEFF}a",
        "a=b&c=d", "{\"name\":\"O'Brien $1 `x`\"}", "-----BEGIN-----",
    ]

    @Test func shellReceivesEachPartUnchanged() async throws {
        let requests = try Self.nastyTexts.map { text in
            var request = try URLRequest(.get, "https://h.example/'()*!$", query: ["q": text])
            request.allHTTPHeaderFields = ["X-A": "a\(text)"]
            request.httpMethod = "X\(text)"
            request.httpBody = Data(text.utf8)
            return request
        }

        let invocations = try await Shell.invocations(
            of: requests.map { $0.curlCommand(redacting: .nothing) })

        for (text, (request, invocation)) in zip(Self.nastyTexts, zip(requests, invocations)) {
            let url = try #require(request.url?.absoluteString)
            let headers = ["-H", "X-A: a\(text)", "-H", "Content-Type:"]
            let arguments = [url, "-X", "X\(text)"] + headers + ["--data-raw", text]
            #expect(invocation == .init(arguments: arguments, input: Data()))
        }
    }

    @Test func commandEscapesControlCharacters() async throws {
        let value = "\u{3}\u{1B}[201~\u{9B}a\r\tb\n\u{7F}"
        let request = try URLRequest.make("GET", "https://h.example", headers: ["X-A": value])

        let command = request.curlCommand(redacting: .nothing)

        #expect(
            !command.unicodeScalars.contains {
                "\u{3}\u{1B}\u{9B}\r\u{7F}".unicodeScalars.contains($0)
            })
        #expect(
            try await Shell.invocations(of: [command]).first?.arguments
                == ["https://h.example", "-H", "X-A: \(value)"])
    }

    @Test func shellReceivesBytesUnchanged() async throws {
        let bodies = [
            Data((0...255).map { UInt8($0) }), Data((0...255).reversed().map { UInt8($0) }),
            Data([0]), Data("-n\r".utf8), Data("--\r\nit's 100% \\0 \\c\r\n".utf8),
            // A digit after an escape does not belong to it. The last command exceeds the limit for an argument.
            Data([0, 0x30, 7, 0x37, 0xFF, 0x31]), Data([0] + Array(repeating: 0x27, count: 35_000)),
        ]
        let requests = try bodies.map { try URLRequest.make("POST", "https://h.example", body: $0) }

        let invocations = try await Shell.invocations(
            of: requests.map { $0.curlCommand(redacting: .nothing) })

        let arguments = ["https://h.example", "--data-binary", "@-"]
        #expect(invocations == bodies.map { .init(arguments: arguments, input: $0) })
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: curl), "curl is not installed"),
        arguments: [
            ("GET", nil), ("HEAD", nil), ("POST", nil), ("POST", "a"), ("POST", "a\r\nb"),
            ("PUT", nil), ("PUT", "a"),
        ] as [(String, String?)])
    func curlSendsWhatSessionSends(method: String, body: String?) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(204) }
        let request = try URLRequest.make(
            method, "http://127.0.0.1:\(server.port)/", body: body.map { Data($0.utf8) })

        _ = try await URLSession(configuration: .ephemeral).send(request)
        _ = try await Shell.run(request.curlCommand() + " --silent")

        let requests = server.requests
        try #require(requests.count == 2)
        #expect(Set(requests.map(\.method)).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(Set(requests.map { $0.header("Content-Type") }).count == 1)
    }
}
#endif
