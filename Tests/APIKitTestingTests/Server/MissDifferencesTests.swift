import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How a failure shows a request and its differences from a route.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct MissDifferencesTests {
    let server = MockServer()

    @Test func messageShowsOnlyTheJSONPathsThatDiffer() async {
        struct Order: Encodable, Sendable {
            struct Item: Encodable { var sku: String; var count: Int }
            var id = 1
            var items = [Item(sku: "a", count: 1), Item(sku: "b", count: 2)]
            var note: String? = "hi"
        }
        server.on(.post("/orders").json(Order()), reply: .status(201)); let line = #line
        let body = #"{"id":1,"items":[{"sku":"a","count":1},{"sku":"b","count":3}],"extra":[true]}"#

        #expect(
            await server.miss(.make("POST", "/orders", body: Data(body.utf8))) == """
                Unhandled request: POST https://api.example.com/orders
                  body: {"extra":[true],"id":1,"items":[{"count":1,"sku":"a"},{"count":3,"sku":"b"}]}
                The closest route is POST /orders, json: {"id":1,"items":[{"count":1,"sku":"a"},\
                {"count":2,"sku":"b"}],"note":"hi"} (MissDifferencesTests.swift:\(line)):
                  - json.extra: expected nothing, got [true]
                  - json.items[1].count: expected 2, got 3
                  - json.note: expected "hi", got nothing
                """)
    }

    @Test(arguments: [
        ("not json", "body: expected JSON, got not json"), ("", "body: expected JSON, got nothing"),
        ("[1]", #"json: expected {"a":1}, got [1]"#),
    ])
    func messageShowsABodyThatIsNotTheExpectedJSON(body: String, difference: String) async throws {
        server.on(.any.json(["a": 1]), reply: .status(200))

        let text = try #require(
            await server.miss(.make("POST", "/", body: Data(body.utf8))))

        #expect(text.hasSuffix("\n  - \(difference)"))
    }

    @Test(arguments: [
        (RequestPattern.any.query(exactly: ["a": "1"]), "query.c: expected nothing, got \"3\""),
        (.any.query(exactly: ["c": "3", "d": "4"]), "query.d: expected \"4\", got nothing"),
        (.any.cookie("sid", "1"), "cookie.sid: expected \"1\", got nothing"),
        (.any.body("x"), "body: expected \"x\", got \"\""),
        (.any.form("a", "1"), "form.a: expected \"1\", got nothing"),
        (.any.part("a"), "part.a: expected a part, got no body"),
        (.any.where("an even id") { _ in false }, "expected an even id"),
        (.get("/a") || .get("/b"), "expected (GET /a or GET /b), got GET /?c=3"),
        (.get("/") && !.any.query("c", "3"), "expected not (query.c: \"3\"), got GET /?c=3"),
    ])
    func messageShowsHowEachConditionDiffers(pattern: RequestPattern, difference: String)
        async throws
    {
        server.on(pattern, reply: .status(200))

        let text = try #require(await server.miss(.make("GET", "/?c=3#top")))

        #expect(text.contains("\n  - \(difference)"))
    }

    @Test func messageShowsHowAPartDiffersWithoutItsSecret() async throws {
        server.on(
            .any.part("file", fileName: "b.png", body: "y").part("password", body: "expected"),
            reply: .status(200))
        let start = "--b\r\nContent-Disposition: form-data; name="
        let request = URLRequest.make(
            "POST", "/", headers: ["Content-Type": "multipart/form-data; boundary=b"],
            body: Data(
                "\(start)file; filename=a.png\r\n\r\nx\r\n\(start)password\r\n\r\nactual\r\n--b--"
                    .utf8))

        let text = try #require(await server.miss(request))

        #expect(
            text.hasSuffix(
                """

                  - part.file.filename: expected "b.png", got "a.png"
                  - part.file.body: expected "y", got "x"
                  - part.password.body: expected "expected", got "***"
                """))
    }

    @Test(arguments: [
        ("application/json", "is application/json"), (nil, "has no content type"),
    ])
    func messageNamesABodyThatIsNotAForm(type: String?, difference: String) async throws {
        server.on(.post("/a").form("user", "ada"), reply: .status(200))
        var request = URLRequest.make("POST", "/a", body: Data("[]".utf8))
        request.setValue(type, forHTTPHeaderField: "Content-Type")

        let text = try #require(await server.miss(request))

        let line = "form.user: expected \"ada\", got nothing (the body \(difference), so"
        #expect(text.hasSuffix("\n  - \(line) it is not a form)"))
    }

    @Test func messageCutsALongBody() async throws {
        server.on(.any.body("x"), reply: .status(200))
        let body = Data(String(repeating: "x", count: 10_000).utf8)

        let text = try #require(await server.miss(.make("POST", "/", body: body)))

        #expect(text.contains("x… (10000 bytes)\n") && text.hasSuffix("x…\""))
        #expect(text.count < 2000)
    }

    @Test func messageHasALimitForALargeBody() async throws {
        let expected = (0..<60).map { ["id": $0, "age": 1] }
        let got = (0..<60).map { ["id": $0, "age": $0 % 10 == 0 ? 1 : 2] }
        server.on(.post("/a").json(expected), reply: .status(200))
        let body = try JSONEncoder().encode(got)

        let text = try #require(await server.miss(.make("POST", "/a", body: body)))

        let lines = text.split(separator: "\n")
        #expect(lines.count == 40)
        #expect(text.utf8.count <= 64 << 10)
        #expect(lines.allSatisfy { $0.count <= 500 })
        #expect(lines[at: 1]?.hasSuffix("… (\(body.count) bytes)") == true)
        let expectation = try #require(lines[at: 2])
        #expect(expectation.contains(#"POST /a, json: [{"age":1,"id":0},{"age":1,"id":1}"#))
        let last = try #require(lines.last)
        #expect(last == "  … and \(54 - (lines.count - 4)) more differences")
    }

    @Test func longValuesAreBothShown() async throws {
        let (expected, got) = (
            String(repeating: "a", count: 1000), String(repeating: "b", count: 9999)
        )
        server.on(.any.json(["note": expected]).header("X", .prefix(expected)), reply: .status(200))

        let text = try #require(
            await server.miss(
                .make("POST", "/", headers: ["X": got], body: Data(#"{"note":"\#(got)"}"#.utf8))))

        for line in text.split(separator: "\n").suffix(2) {
            #expect(line.contains("aaa…") && line.contains("bbb…") && line.count <= 500)
        }
    }

    @Test(arguments: [
        (Data([0xFF, 0xFE, 0xFD]), "3 bytes", ""),
        (Data(String(repeating: "[1,2],", count: 1 << 18).utf8), "[1,2],[1", "… (1572864 bytes)"),
    ])
    func bodyThatIsNotDecodedShowsItsStartAndSize(
        body: Data, start: String, end: String
    ) async throws {
        let message = try #require(await server.miss(.make("POST", "/", body: body)))

        #expect(message.contains("\n  body: \(start)"))
        #expect(message.contains("\(end)\n"))
    }

    @Test func messageShowsEachValueOnOneLine() async throws {
        server.on(.any.body("a\n"), reply: .status(200)); let line = #line

        #expect(
            await server.miss(.make("POST", "/", body: Data("hello\r\nworld".utf8)))
                == #"""
                Unhandled request: POST https://api.example.com/
                  body: hello\r\nworld
                The closest route is body: "a\n" (MissDifferencesTests.swift:\#(line)):
                  - body: expected "a\n", got "hello\r\nworld"
                """#)
    }
}
