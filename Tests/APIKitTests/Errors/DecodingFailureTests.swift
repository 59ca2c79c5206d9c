import APIKit
import Foundation
import Testing

/// The texts of bodies that cannot be decoded.
@Suite(.inTurn) struct DecodingFailureTests {
    /// Returns the reason in the description of the error for a body of a type.
    func reason<Value: Decodable>(
        decoding type: Value.Type, from body: Data, status: Int? = nil, contentType: String? = nil,
        by decoder: any ResponseDecoder = JSONDecoder()
    ) throws -> String {
        let cause = #expect(throws: DecodingError.self) { try decoder.decode(type, from: body) }
        let headers = contentType.map { ["Content-Type": $0] } ?? [:]
        let response = try status.map { try HTTPURLResponse.make($0, headers: headers) }
        return reason(of: cause, body: body, response: response)
    }

    func reason(
        of cause: DecodingError?, body: Data? = nil, response: HTTPURLResponse? = nil
    ) -> String {
        let error = APIError(.decoding, response: response, body: body, underlying: cause)
        let start = "The request returned a body that cannot be decoded: "
        #expect(error.description.hasPrefix(start))
        return String(error.description.dropFirst(start.count))
    }

    func reason(
        _ text: String, at path: [any CodingKey] = [], underlying: (any Error)? = nil
    )
        -> String
    {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: text, underlyingError: underlying)
        return reason(of: .dataCorrupted(context))
    }

    @Test(arguments: [
        (#"{"dogs":[{"id":1,"name":"a"},{"id":2}]}"#, #"dogs[1] has no "name"."#),
        (#"{}"#, #"the top level has no "dogs"."#),
        (#"{"dogs":[{"id":1,"name":null}]}"#, "dogs[0].name: expected String, found no value."),
        (#"{"dogs":[{"id":"x","name":"a"}]}"#, "dogs[0].id: expected Int, found another type."),
        (#"{"dogs":[{"id":1,"name":2}]}"#, "dogs[0].name: expected String, found another type."),
        (#"{"dogs":[{"id":true,"name":""}]}"#, "dogs[0].id: expected Int, found another type."),
        (#"{"dogs":[{"id":[],"name":""}]}"#, "dogs[0].id: expected Int, found another type."),
        (#"{"dogs":[{"id":{},"name":""}]}"#, "dogs[0].id: expected Int, found another type."),
        (#"{"dogs":[7]}"#, "dogs[0]: expected an object, found another type."),
        (#"{"dogs":{}}"#, "dogs: expected an array, found another type."),
        (#"{"dogs":[],"home":""}"#, "home is not valid: Invalid URL string."),
        (#"{"dogs":[],"price":"x"}"#, "price: expected Decimal, found another type."),
        (#"{"dogs":[],"pair":[1]}"#, "pair[1]: expected Int, found no value."),
        ("[]", "the top level: expected an object, found another type."),
        ("null", "the top level: expected an object, found no value."),
        (#"{"dogs""#, "the body is not valid JSON, or a number in it does not fit its type."),
        (
            #"{"dogs":[{"id":0.5,"name":"a"}]}"#,
            "the body is JSON, but a number in it does not fit its type."
        ),
    ])
    func failureNamesPlaceAndExpectationAndKindOfValue(body: String, reason: String) throws {
        let found = try self.reason(decoding: Kennel.self, from: Data(body.utf8), status: 200)

        #expect(found == reason)
    }

    // Only a small body is parsed again.
    @Test(
        arguments: [
            (0, "the body is JSON, but a number in it does not fit its type."),
            (65_536, "the body is not valid JSON, or a number in it does not fit its type."),
        ])
    func numberThatDoesNotFitIsNotCalledInvalidJSON(spaces: Int, reason: String) throws {
        let body = Data("18.18\(String(repeating: " ", count: spaces))".utf8)

        #expect(try self.reason(decoding: Int.self, from: body) == reason)
    }

    @Test func pathCanStartWithIndex() throws {
        let body = Data(#"[[],[{"id":1}]]"#.utf8)

        #expect(try reason(decoding: [[Dog]].self, from: body) == #"[1][0] has no "name"."#)
    }

    @Test func convertedKeyIsNamedAsInSource() throws {
        struct User: Decodable { let firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase

        let found = try reason(
            decoding: User.self, from: Data(#"{"first_name":1}"#.utf8), by: decoder)

        #expect(found == "firstName: expected String, found another type.")
    }

    @Test(arguments: [
        (nil, "the body is empty."), (204, "the body is empty (status 204)."),
        (200, "the body is empty (status 200)."),
    ])
    func emptyBodyIsNamed(status: Int?, reason: String) throws {
        #expect(try self.reason(decoding: Dog.self, from: Data(), status: status) == reason)
    }

    @Test(
        arguments: [
            (
                "<!doctype html>\n<p>\tOops</p>", "text/html; charset=utf-8",
                "the body is text/html, not JSON: <!doctype html> <p> Oops</p>."
            ),
            ("<html>", nil, "the body is not JSON: <html>."),
            (" <html>", "application/json", "the body is not JSON: <html>."),
            ("<html>", "application/vnd.api+JSON", "the body is not JSON: <html>."),
            ("<html>", "text/\u{1B}[2J", "the body is text/ [2j, not JSON: <html>."),
            (
                "<html>", "text/\(String(repeating: "x", count: 60))",
                "the body is text/\(String(repeating: "x", count: 54))…, not JSON: <html>."
            ),
            (
                "no healthy upstream", "text/plain",
                "the body is text/plain, not JSON: no healthy upstream."
            ),
            (
                "<p>\(String(repeating: "12345678 ", count: 9))", "text/html",
                "the body is text/html, not JSON: <p>\(String(repeating: "12345678 ", count: 6))12…"
            ),
            ("\u{0}\u{1} binary", "image/png", "the body is image/png, not JSON."),
            ("ok", "text/plain", "the body is text/plain, not JSON."),
        ] as [(String, String?, String)])
    func bodyThatIsNotJSONIsNamed(body: String, type: String?, reason: String) throws {
        let found = try self.reason(
            decoding: Dog.self, from: Data(body.utf8), status: 200, contentType: type)

        #expect(found == reason)
    }

    @Test func startOfBodyEndsWithWholeCharacter() throws {
        let body = Data("<p> \(String(repeating: "ä", count: 300))".utf8)

        let found = try reason(decoding: Dog.self, from: body)

        #expect(found == "the body is not JSON: <p> \(String(repeating: "ä", count: 55))…")
    }

    /// Only the words of a decoder say what it expects.
    @Test func otherDecoderMakesNoClaimAboutJSON() throws {
        let text = Data("<html>".utf8)
        let list = try PropertyListEncoder().encode(["id": "x", "name": "Rex"])
        let decoder = PropertyListDecoder()

        let reasons = [
            try reason(decoding: Dog.self, from: text, status: 200, by: StrictDecoder()),
            try reason(decoding: Dog.self, from: Data(), status: 200, by: StrictDecoder()),
            try reason(decoding: Dog.self, from: list, by: decoder),
            try reason(decoding: Dog.self, from: text, contentType: "text/html", by: decoder),
        ]

        #expect(
            reasons.prefix(3) == [
                "This is not my format.", "This is not my format.",
                "id: expected Int, found another type.",
            ])
        #expect(reasons.last?.contains("JSON") == false)
    }

    @Test func longPathIsShortened() throws {
        let depth = 200
        let body = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)

        let found = try reason(decoding: Nest.self, from: Data(body.utf8))

        let path = String(repeating: "[0]", count: 40)
        #expect(found == "…\(path): expected an array, found another type.")
    }

    @Test func longDescriptionIsShortened() {
        let found = reason(String(repeating: "abcde\n", count: 1_000_000))

        #expect(found == String(repeating: "abcde ", count: 33) + "a…")
    }

    @Test(arguments: [
        (
            NSError(
                domain: NSCocoaErrorDomain, code: 3840,
                userInfo: [
                    NSDebugDescriptionErrorKey:
                        "Unexpected character 'S' around line 3, column 14."
                ]) as any Error & Sendable,
            "The given data was not valid JSON: line 3, column 14."
        ),
        (Refusal(reason: "S3CRET"), "The given data was not valid JSON."),
    ])
    func positionOfParserIsNamed(underlying: any Error & Sendable, text: String) {
        #expect(reason("The given data was not valid JSON.", underlying: underlying) == text)
    }

    @Test func nestedErrorIsNamed() {
        let inner = DecodingError.typeMismatch(
            Int.self,
            .init(
                codingPath: [Key(stringValue: "id")],
                debugDescription: "The words of a decoder."))

        let path = [Key(stringValue: "payload")]
        #expect(
            reason("It is bad.", at: path, underlying: inner)
                == "payload is not valid: It is bad: id: expected Int, found another type.")
        #expect(
            reason("", at: path, underlying: inner)
                == "payload is not valid: id: expected Int, found another type.")
        #expect(
            reason("", at: [Key(stringValue: "password")], underlying: inner)
                == "password is not valid.")
    }

    @Test func descriptionCanBeMissing() {
        #expect(reason("") == "it is not valid.")
        #expect(reason("", at: [Key(stringValue: "id")]) == "id is not valid.")
    }

    @Test func lineThatIsNotJSONIsNamed() async throws {
        let stream = ByteStream(Data("{\"id\":1,\"name\":\"a\"}\nno dog here\n".utf8))
        var dogs = stream.jsonLines(of: Dog.self).makeAsyncIterator()

        #expect(try await dogs.next()?.name == "a")
        let error = await expectError(.decoding) { try await dogs.next() }

        #expect(
            error?.description == """
                The request returned a body that cannot be decoded: \
                the body is not JSON: no dog here.
                """)
    }
}

private struct Kennel: Decodable {
    let dogs: [Dog]
    let home: URL?
    let price: Decimal?
    let pair: Pair?
}

private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        for _ in 1...2 { _ = try numbers.decode(Int.self) }
    }
}

private struct Nest: Decodable {
    let nests: [Nest]

    init(from decoder: any Decoder) throws {
        nests = try [Nest](from: decoder)
    }
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A decoder of a format that accepts nothing.
private struct StrictDecoder: ResponseDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        throw DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "This is not my format."))
    }
}
