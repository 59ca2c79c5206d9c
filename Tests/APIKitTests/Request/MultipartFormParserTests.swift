import APIKit
import APIKitTesting
import Foundation
import Testing

/// Parsers restore the fields of an encoded form.
@Suite(.inTurn) struct MultipartFormParserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func forms(_ count: Int, seed: UInt64) throws -> [RandomForm] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in try RandomForm(using: &generator, in: directory) }
    }

    @Test func mockServerParsesEncodedForm() async throws {
        let server = MockServer()
        server.on(.any, reply: .status(204), times: .anyNumber)

        for form in try forms(Stress.count(300), seed: 1) {
            let request = try URLRequest(
                .post, "https://h.example", body: .multipart(form.form))
            _ = try await server.send(request)

            let parts = try #require(server.requests.last?.parts)
            #expect(
                parts.map {
                    RandomForm.Field(
                        name: $0.name, fileName: $0.fileName, contentType: $0.contentType,
                        content: $0.body)
                } == form.fields.map(\.unescaped))
        }
    }

    @Test func lineWithoutColonIsNotAHeaderFieldOfAPart() async throws {
        let body = """
            --b\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition\r\n\r\n1\r\n--b--\r\n
            """
        let request = try URLRequest(
            .post, "https://h.example",
            body: .data(Data(body.utf8), contentType: "multipart/form-data; boundary=b"))
        let server = MockServer()
        server.on(.any, reply: .status(204))

        _ = try await server.send(request)

        #expect(server.requests.first?.parts.map(\.name) == ["a"])
    }

    #if os(macOS) || os(Linux)
    // An independent parser.
    @Test(.enabled(if: Shell.finds("python3"), "python3 is not installed"))
    func pythonParsesEncodedForm() async throws {
        let forms = try forms(Stress.count(100), seed: 2)
        let messages = try forms.enumerated().map { index, form in
            let body = HTTPBody.multipart(form.form)
            let head = "Content-Type: \(body.contentType)\r\n\r\n"
            return try directory.file("message \(index)", Data(head.utf8) + body.data())
        }

        let paths = messages.map { "'\($0.path)'" }.joined(separator: " ")
        let output = try await Shell.run("python3 - \(paths) <<'END'\n\(Self.parser)\nEND")

        let found = try JSONDecoder().decode([[RandomForm.Field]].self, from: output)
        try #require(found.count == forms.count)
        for (fields, form) in zip(found, forms) { #expect(fields == form.fields) }
    }

    private static let parser = """
        import base64, json, sys
        from email.parser import BytesParser
        from email.policy import HTTP

        def field(part):
            assert not part.defects, part.defects
            disposition = part["Content-Disposition"]
            assert disposition.content_disposition == "form-data", disposition
            return {
                "name": disposition.params["name"],
                "fileName": disposition.params.get("filename"),
                "contentType": dict(part.raw_items()).get("Content-Type"),
                "content": base64.b64encode(part.get_payload(decode=True)).decode(),
            }

        def fields(path):
            with open(path, "rb") as file:
                message = BytesParser(policy=HTTP).parsebytes(file.read())
            assert not message.defects, message.defects
            return [field(part) for part in message.iter_parts()]

        print(json.dumps([fields(path) for path in sys.argv[1:]]))
        """
    #endif
}

/// A random form, and the fields that a parser must find in it.
private struct RandomForm {
    /// A part as a parser returns it.
    struct Field: Equatable, Codable {
        var name: String
        var fileName: String?
        var contentType: String?
        var content: Data

        /// The field with its names as given, except that each `%22` is an escape.
        var unescaped: Field {
            func text(_ name: String) -> String {
                [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")].reduce(name) { text, escape in
                    String(
                        text.unicodeScalars.replacing(
                            escape.0.unicodeScalars, with: escape.1.unicodeScalars))
                }
            }
            var field = self
            field.name = text(name)
            field.fileName = fileName.map(text)
            return field
        }
    }

    private(set) var form: MultipartForm = [:]
    private(set) var fields: [Field] = []

    /// Makes a form whose files are in a directory.
    init(using generator: inout SeededGenerator, in directory: TemporaryDirectory) throws {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let (name, sentName) = Self.text(of: Self.names, using: &generator)
            let (fileName, sentFileName) = Self.text(of: Self.fileNames, using: &generator)
            let (text, sentText) = Self.text(of: Self.texts, using: &generator)
            let contentType = Bool.random(using: &generator) ? "image/png" : "text/plain; a=\"b\""
            let data =
                Data(text.utf8) + [0, 0xFF, 0x0D].prefix(.random(in: 0...3, using: &generator))
            var field = Field(
                name: sentName, fileName: sentFileName, contentType: contentType, content: data)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                form.append(name, .text(text))
                field = Field(name: sentName, content: Data(sentText.utf8))
            case 1:
                form.append(name, .data(data, contentType: contentType))
                field.fileName = nil
            case 2:
                form.append(
                    name, .data(data, fileName: fileName, contentType: contentType))
            default:
                let url = try directory.file("\(UUID())", data)
                form.append(name, .file(url, fileName: fileName, contentType: contentType))
            }
            fields.append(field)
        }
    }

    /// Returns a random text, and the same text as the form sends it.
    private static func text(
        of pieces: [(String, String)], using generator: inout SeededGenerator
    ) -> (String, String) {
        let count = Int.random(in: 0...12, using: &generator)
        let chosen = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
        return (chosen.map(\.0).joined(), chosen.map(\.1).joined())
    }

    // No backslash: browsers do not escape it, and parsers read it as an escape.
    private static let plain = [
        "a", "Z", "7", "ä", "e\u{301}", "日", "🐕‍🦺", "%22", ";", "=", ":", "--", "'", "x y",
        "filename=",
    ].map { ($0, $0) }
    private static let names =
        plain + [("\"", "%22"), ("\n", "%0D%0A"), ("\r\n", "%0D%0A"), ("\"\u{301}", "%22\u{301}")]
    private static let fileNames = plain + [("\"", "%22"), ("\n", "%0A"), ("\r\n", "%0D%0A")]
    private static let texts =
        plain + [
            ("\n", "\r\n"), ("\r\n", "\r\n"), ("\"", "\""), ("\\", "\\"), ("\0", "\0"),
            ("\r\n--", "\r\n--"), ("\r\n\r\n", "\r\n\r\n"), ("\r\n--APIKit-", "\r\n--APIKit-"),
        ]
}
