import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct CURLTests {
    @Test func simpleRequestIsOneLine() throws {
        #expect(try URLRequest.make().curlCommand() == "curl 'https://api.example.com/v1/dogs'")
    }

    @Test func commandHoldsWholeRequest() throws {
        let request = try URLRequest.make(
            "PUT", "https://api.example.com/v1/dogs?page=2",
            headers: ["X-B": "2", "x-a": "1", "Content-Type": "application/json"],
            body: Data(#"{"name":"Rex"}"#.utf8))

        #expect(
            request.curlCommand() == #"""
                curl 'https://api.example.com/v1/dogs?page=2' \
                  -X 'PUT' \
                  -H 'Content-Type: application/json' \
                  -H 'x-a: 1' \
                  -H 'X-B: 2' \
                  --data-raw '{"name":"Rex"}'
                """#)
    }

    @Test(
        arguments: [
            ("GET", nil, ""), ("GET", "", " -X 'GET' --data-raw ''"),
            ("POST", nil, " -X 'POST' -H 'Content-Length: 0'"),
            ("POST", "a", " --data-raw 'a'"), ("DELETE", nil, " -X 'DELETE'"),
            ("HEAD", nil, " --head"), ("HEAD", "a", " -X 'HEAD' --data-raw 'a'"),
            ("X'Y", nil, #" -X 'X'\''Y'"#), ("", nil, " -X ''"),
        ] as [(String, String?, String)])
    func methodIsNamedOnlyWhereNeeded(method: String, body: String?, text: String) throws {
        let request = try URLRequest.make(
            method, "https://h.example/", headers: ["Content-Type": "a/b"],
            body: body.map { Data($0.utf8) })

        let command = request.curlCommand().replacing(" \\\n ", with: "")

        #expect(
            command.replacing(" -H 'Content-Type: a/b'", with: "")
                == "curl 'https://h.example/'" + text)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS", "PURGE"])
    func commandWithoutABodyStatesTheLengthThatTheCallStates(method: String) async throws {
        let server = MockServer { _ in .text("ok") }
        let request = try URLRequest.make(method, "https://h.example/")

        _ = try await server.session.send(request)

        let isStated = server.requests.first?.header("Content-Length") == "0"
        #expect(request.curlCommand().contains("-H 'Content-Length: 0'") == isStated)
        #expect(isStated == ["POST", "PUT", "PATCH"].contains(method))
    }

    @Test(arguments: [("content-length", "0"), ("Transfer-Encoding", "chunked")])
    func commandKeepsTheFramingOfTheRequest(name: String, value: String) throws {
        let request = try URLRequest.make("POST", headers: [name: value])

        #expect(request.curlCommand().components(separatedBy: "-H ").count == 2)
        #expect(request.curlCommand().contains("\(value)'"))
    }

    private static let host = "https://h.example"

    @Test(
        arguments: [
            ("https://[::1]/", [:], "--globoff 'https://[::1]/'"),
            ("\(host)/it's?a=$b&c=*", [:], #"'https://h.example/it'\''s?a=$b&c=*'"#),
            ("-o/tmp/file", [:], "--url '-o/tmp/file'"),
            ("\(host)/a/../b", [:], "--path-as-is 'https://h.example/a/../b'"),
            // A field with an invalid name is omitted.
            (host, ["@/etc/passwd": "a"], "'\(host)'"), (host, ["a b": "a"], "'\(host)'"),
            (host, ["": "a"], "'\(host)'"),
            (host, ["X-A": "\u{A0}"], "'\(host)' \\\n  -H 'X-A: \u{A0}'"),
            (host, ["X-Empty": ""], "'\(host)' \\\n  -H 'X-Empty;'"),
            (host, ["X-Empty": " "], "'\(host)' \\\n  -H 'X-Empty;'"),
        ] as [(String, [String: String], String)])
    func urlAndFieldsAreQuoted(url: String, headers: [String: String], text: String) throws {
        let request = try URLRequest.make("GET", url, headers: headers)

        #expect(request.curlCommand() == "curl \(text)")
    }

    @Test(arguments: ["{a}", "{a", "a}", "?ids[]=1"])
    func globbingIsDisabledForURLWithPatterns(path: String) throws {
        // Some systems encode braces and brackets in a URL.
        let request = try URLRequest.make("GET", "https://h.example/\(path)")
        let keepsThem = request.url?.absoluteString.hasSuffix(path) == true

        #expect(request.curlCommand().hasPrefix("curl --globoff ") == keepsThem)
    }

    @Test func missingURLIsEmpty() throws {
        var request = try URLRequest.make()
        request.url = nil

        #expect(request.curlCommand() == "curl ''")
    }

    @Test func commandOmitsContentLengthOfBody() throws {
        let headers = ["content-length": "9", "Content-Type": "a/b"]

        let with = try URLRequest.make("POST", headers: headers, body: Data("a".utf8)).curlCommand()
        let without = try URLRequest.make("POST", headers: headers).curlCommand()

        #expect(!with.lowercased().contains("content-length"))
        #expect(without.lowercased().contains("content-length: 9"))
    }

    @Test func curlAddsNoContentType() throws {
        let body = Data("a".utf8)

        #expect(
            try URLRequest.make("PUT", body: body).curlCommand().contains(
                "  -H 'Content-Type:' \\\n"))
        #expect(try !URLRequest.make("POST", body: body).curlCommand().contains("Content-Type"))
    }

    @Test(arguments: [
        (Data([0, 7, 8, 127, 128, 255]), #"\000\007\010\177\200\377"#),
        (Data("-%s\r\n".utf8 + [1]), #"\055%%s\r\n\001"#),
        (Data("\u{1B}'--\\é".utf8), #"\033\047--\134\303\251"#),
    ])
    func binaryBodyIsPiped(body: Data, format: String) throws {
        let request = try URLRequest.make("POST", "https://h.example", body: body)

        #expect(
            request.curlCommand()
                == "printf '\(format)' | curl 'https://h.example' \\\n  --data-binary @-")
    }

    @Test(arguments: [(100_000, "curl "), (100_001, "printf ")])
    func tooLongBodyIsPiped(count: Int, start: String) throws {
        let body = Data(String(repeating: "x", count: count).utf8)

        #expect(try URLRequest.make("POST", body: body).curlCommand().hasPrefix(start))
    }

    @Test func bodyStreamIsReadFromStandardInput() throws {
        var request = try URLRequest.make("POST", "https://h.example")
        request.httpBodyStream = InputStream(data: Data("a".utf8))

        #expect(request.curlCommand() == "curl 'https://h.example' \\\n  --data-binary @-")
    }

    @Test func secretsAreMasked() throws {
        let request = try URLRequest.make(
            "POST", "https://ada:x@h.example/?secret=x",
            headers: [
                "Authorization": "Basic x", "Cookie": "x", "Content-Type": "application/json",
                "Referer": "https://h.example/?pwd=x",
            ],
            body: Data(#"{"user":"ada","password":"x"}"#.utf8))

        #expect(
            request.curlCommand() == #"""
                curl 'https://***@h.example/?secret=***' \
                  -H 'Authorization: Basic ***' \
                  -H 'Content-Type: application/json' \
                  -H 'Cookie: ***' \
                  -H 'Referer: https://h.example/?pwd=***' \
                  --data-raw '{"user":"ada","password":"***"}'
                """#)
    }

    @Test func addedNamesAreMasked() throws {
        let request = try URLRequest.make(
            "GET", "https://h.example/?email=x&pwd=x", headers: ["X-Tenant": "x"])

        #expect(
            request.curlCommand(
                redacting: .secrets.adding(headers: ["X-Tenant"], values: ["email"])) == #"""
                    curl 'https://h.example/?email=***&pwd=***' \
                      -H 'X-Tenant: ***'
                    """#)
    }
}
