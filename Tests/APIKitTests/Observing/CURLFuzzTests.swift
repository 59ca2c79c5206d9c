#if os(macOS) || os(Linux)
import Foundation
import Testing

@testable import APIKit

/// A real shell and a real curl send random requests to a server.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CURLFuzzTests {
    private static let curl = "/usr/bin/curl"
    private static let seeds = 0..<(Stress.isFull ? 20 : 1)

    /// Texts with a special meaning for a shell, curl, `printf` or a terminal.
    private static let texts = [
        "'", "'\u{301}", "'\u{200D}", "\u{301}", "\u{200D}", "\"", "\"\u{301}", "\\", "\\\u{301}",
        "\n", "$(:>canary)", "`:>canary`", ";:>canary;", "';:>canary;'",
        "'\u{301};:>canary;'\u{301}", "\n:>canary\n", "&:>canary&", "|:>canary", "$HOME", "@",
        "@/etc/passwd", "-", "--", "-o canary", "%", "%s", "%n", "!", "!!", "*", "?", "~", "#", "é",
        "\u{FEFF}", "\u{3}", "\u{1B}[201~", "\u{7F}", "\u{9B}", "\0", "\ra", "{a,b}", "[1-3]", " ",
        "\t", "a", "0", "&", "|", "<", ">canary", "(", ")", "日本", "🐕‍🦺", ":", ";", ",", "=",
    ]
    private static let namePieces = "'`$!#&*|~%^+.-aZ0".map(String.init)
    private static let pathPieces = [
        "'", "%27", "%CC%81", "$(:%3Ecanary)", "(", ")", "*", "!", "$", "&", ",", ";", "=", "@",
        "-",
        "~", "/..", "/.", "//", "%", "%0A", "?", "[1-3]", "{a,b}", "a", "é", "\u{301}", "-o",
    ]
    private static let methods = [
        "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "X'\u{301}$(:>canary)'\u{301}", "-o",
        "`:>canary`", "A\0B", "\u{3}", "é",
    ]

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: curl), "curl is not installed"),
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/bin/bash"), "bash is not installed"),
        arguments: seeds)
    func requestArrivesByteForByteAndNothingElseRuns(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let directory = try TemporaryDirectory()
        let server = try LoopbackServer { _ in LoopbackServer.response(204) }
        let requests = try (0..<Stress.count(100)).map { _ in
            try request(to: server.port, using: &random)
        }
        let commands = requests.map {
            $0.curlCommand(redacting: .nothing) + " --silent --noproxy '*' --output /dev/null"
        }

        _ = try await Shell.run(
            """
            cd '\(directory.url.path)' && exec 2>errors && export HOME="$PWD" CURL_HOME="$PWD"
            \(commands.joined(separator: "\n"))
            """, by: "/bin/bash")

        #expect(try directory.names == ["errors"])
        #expect(directory.text("errors") == "")
        let received = server.requests
        try #require(received.count == requests.count)
        for (request, (received, command)) in zip(requests, zip(received, commands)) {
            #expect(received.bodyBytes == request.httpBody ?? Data(), "\(command)")
            #expect(rest(of: received.headBytes, without: request) == [], "\(command)")
        }
    }

    private func request(
        to port: UInt16, using random: inout SeededGenerator
    ) throws -> URLRequest {
        let start = "http://127.0.0.1:\(port)/"
        let path = String.random(of: Self.pathPieces, using: &random)
        var request = URLRequest(url: try URL(string: start + path) ?? .make(start))
        request.httpMethod = Self.methods.randomElement(using: &random)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let name = "X-" + .random(of: Self.namePieces, using: &random)
            request.setValue(.random(of: Self.texts, using: &random), forHTTPHeaderField: name)
        }
        // The command must omit this invalid name. Otherwise curl would read the file that it
        // names.
        if Bool.random(using: &random) { request.setValue("a", forHTTPHeaderField: "@/etc/passwd") }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: break
        case 1: request.httpBody = Data(String.random(of: Self.texts, using: &random).utf8)
        default:
            request.httpBody = .random(0...199, using: &random)
        }
        return request
    }

    /// The unexpected lines of a head, and the missing ones.
    private func rest(of head: Data, without request: URLRequest) -> [String] {
        var head = head + Data("\r\n".utf8)
        var rest: [String] = []
        func remove(_ line: String) {
            let line = Data("\(line.filter { $0 != "\0" })\r\n".utf8)
            if let place = head.range(of: line) {
                head.removeSubrange(place)
            } else {
                rest.append("missing: \(String(decoding: line, as: UTF8.self))")
            }
        }
        let url = request.url?.absoluteString ?? ""
        let target = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "#" }
        remove("\(request.method) \(target) HTTP/1.1")
        for (name, value) in request.allHTTPHeaderFields ?? [:] where name.hasPrefix("X-") {
            let isBlank = value.utf8.allSatisfy("\0 \t\n\r".utf8.contains)
            remove(isBlank ? "\(name):" : "\(name): \(value)")
        }
        let ownNames = ["Host", "User-Agent", "Accept", "Content-Length"]
        rest += String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
            .filter { line in
                let isForm = line == "Content-Type: application/x-www-form-urlencoded"
                return !ownNames.contains { line.hasPrefix("\($0): ") }
                    && !(isForm && request.method == "POST")
            }
        return rest
    }
}
#endif
