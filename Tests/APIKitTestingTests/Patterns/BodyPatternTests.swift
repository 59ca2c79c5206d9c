import APIKit
import APIKitTesting
import Foundation
import Testing

/// Patterns of JSON, forms and texts.
@Suite(.inTurn) struct BodyPatternTests {
    @Test(arguments: bodies + json + forms + parts + malformedMultiparts)
    func bodyPatternMatchesOnlyItsBodies(_ example: PatternExample) async throws {
        try await example.expectItsResult()
    }

    private static let bodies: [PatternExample] = [
        .yes(.any.body("hello"), .post("hello")),
        .yes(.any.body(.containing("ell")), .post("hello")),
        .no(.any.body("hello"), .make("POST", body: Data([0xFF]))),
    ]

    private static let json: [PatternExample] =
        [#"{"b":2,"a":1}"#, " {\n\t\"a\" : 1.0, \"b\":2e0 } "].map {
            .yes(.any.json(["a": 1, "b": 2]), .post($0))
        }
        + [
            #"{"a":1}"#, #"{"a":1,"b":2,"c":3}"#, #"{"a":true,"b":2}"#, #"{"a":"1","b":2}"#,
            #"[1,2]"#, "not json", "", #"{"a":1,"b":2"#,
        ].map { .no(.any.json(["a": 1, "b": 2]), .post($0)) }
        + [
            .yes(
                .any.json(Everything()),
                .post(#"{"nested":{"deep":{"x":1}},"flag":true,"list":[1.5,null]}"#)),
            .yes(.any.json(["x": 1e200]), .post(#"{"x":1e200}"#)),
            .no(.any.json(["x": 1e201]), .post(#"{"x":1e200}"#)),
            .yes(.any.jsonContaining(["a": 1]), .post(#"{"a":1,"b":2}"#)),
            .no(.any.jsonContaining(["a": 1]), .post(#"{"a":2,"b":2}"#)),
            .no(.any.jsonContaining(["a": 1]), .post("no")),
            .yes(.any.jsonContaining(["l": [["a": 1]]]), .post(#"{"l":[{"a":1,"b":2}],"c":3}"#)),
            .no(.any.jsonContaining(["l": [["a": 1]]]), .post(#"{"l":[{"a":1},{"a":1}]}"#)),
            .no(.any.jsonContaining(["l": [["a": 1]]]), .post(#"{"l":[{"b":1}]}"#)),
        ]

    private struct Everything: Encodable, Sendable {
        var list: [Double?] = [1.5, nil]
        var flag = true
        var nested = ["deep": ["x": 1]]
    }

    private static let form = RequestPattern.any.form("a", "1").form("b", "x y&").form("c", .absent)
    private static let formType = "application/x-www-form-urlencoded"

    private static let forms: [PatternExample] = [
        .yes(form, .post("a=1&b=x+y%26", type: formType)),
        .yes(form, .post("b=x%20y%26&a=1", type: "\(formType); charset=utf-8")),
        .yes(form, .post("a=1&b=x+y%26", type: "Application/X-WWW-Form-Urlencoded")),
        .no(form, .post("a=1&b=z", type: formType)),
        .no(form, .post("", type: formType)),
        .no(form, .post("a=1&b=x+y%26", type: "text/plain")),
    ]

    private static let multipart = URLRequest.post(
        [
            "preamble", "--X y", "Content-Disposition: form-data; name=\"name\"", "", "Ada",
            "--X y", "content-disposition: form-data; name=avatar; filename=\"a \\\"b\\\".png\"",
            "Content-Type: image/png", "", "\u{1}--X\r\n", "--X y--", "epilogue",
        ].joined(separator: "\r\n"), type: "multipart/form-data; boundary=\"X y\"")

    private static let parts: [PatternExample] = [
        .yes(.any.part("name", body: "Ada"), multipart),
        .no(.any.part("name", body: "Bob"), multipart),
        .yes(
            .any.part("avatar", fileName: "a \"b\".png", contentType: "image/png"), multipart),
        .no(.any.part("avatar", fileName: .suffix(".jpg")), multipart),
        .yes(.any.part("avatar"), multipart),
        .no(.any.part("missing"), multipart),
        .yes(.any.part("name", fileName: .absent, contentType: .absent), multipart),
    ]

    private static let malformedMultiparts: [PatternExample] = [
        "", "--b", "--b--", "--b\r\n--b--\r\n", "--b\r\n", "--b\r\n\r\n", "--b\r\n\r\n--b--",
        "--b\r\nContent-Disposition\r\n\r\nx\r\n--b--", "\r\n--b--b\r\n\r\n\r\n--b",
    ].map { .no(.any.part("a"), .post($0, type: "multipart/form-data; boundary=b")) }

    @Test func jsonPatternUsesTheGivenEncoder() async throws {
        struct Names: Encodable, Sendable { var firstName = "Ada" }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase

        let pattern = RequestPattern.any.json(Names(), encoder: encoder)

        #expect(try await pattern.matches(.post(#"{"first_name":"Ada"}"#)))
    }
}
