import APIKit
import APIKitTesting
import Foundation
import Testing

/// What parsers find in an encoded form.
@Suite struct MultipartFormParserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func forms(_ count: Int, seed: UInt64) throws -> [RandomForm] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in try RandomForm(using: &generator, in: directory) }
    }

    @Test func mockServerParsesEncodedForm() async throws {
        let server = MockServer()
        server.on(.any, reply: .status(204), times: .anyNumber)

        for form in try forms(300, seed: 1) {
            let request = try URLRequest(
                .post, "https://h.example", body: .multipart(MultipartForm(form.parts)))
            _ = try await server.send(request)

            let parts = try #require(server.requests.last?.parts)
            #expect(
                parts.map {
                    RandomForm.Field(
                        name: $0.name, fileName: $0.fileName, contentType: $0.contentType,
                        content: $0.body)
                } == form.fields)
        }
    }

    #if os(macOS) || os(Linux)
    // A parser that we did not write.
    @Test(.enabled(if: Shell.finds("python3")))
    func pythonParsesEncodedForm() async throws {
        let forms = try forms(100, seed: 2)
        let messages = try forms.enumerated().map { index, form in
            let body = HTTPBody.multipart(MultipartForm(form.parts))
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
