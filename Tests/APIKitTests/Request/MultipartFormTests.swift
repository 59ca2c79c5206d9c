import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct MultipartFormTests {
    private func boundary(of body: HTTPBody) throws -> String {
        let start = "multipart/form-data; boundary="
        try #require(body.contentType.hasPrefix(start))
        return String(body.contentType.dropFirst(start.count))
    }

    /// The encoded form, with the boundary replaced by `B`.
    private func text(of form: MultipartForm) throws -> String {
        let body = HTTPBody.multipart(form)
        let data = try body.data()
        #expect(try body.length() == data.count)
        return try #require(String(data: data, encoding: .utf8))
            .replacing(try boundary(of: body), with: "B")
    }

    @Test func nilAddsNoField() throws {
        var form: MultipartForm = ["a": .text("1"), "b": nil, "c": String?.none.map { .text($0) }]
        form.append("d", nil)
        form.append("a", .text("2"))

        #expect(try text(of: form) == text(of: ["a": .text("1"), "a": .text("2")]))
    }

    @Test func formIsEncodedAsInBrowsers() throws {
        let form: MultipartForm = [
            "name": .text("Ada"), "bytes": .data(Data("raw".utf8)),
            "photo": .data(Data("jpeg".utf8), fileName: "a.jpg", contentType: "image/jpeg"),
            "name": .text(""),
        ]

        #expect(
            try text(of: form)
                == [
                    "--B", "Content-Disposition: form-data; name=\"name\"", "", "Ada",
                    "--B", "Content-Disposition: form-data; name=\"bytes\"",
                    "Content-Type: application/octet-stream", "", "raw",
                    "--B", "Content-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"",
                    "Content-Type: image/jpeg", "", "jpeg",
                    "--B", "Content-Disposition: form-data; name=\"name\"", "", "",
                    "--B--", "",
                ].joined(separator: "\r\n"))
    }

    @Test func emptyFormHasClosingDelimiterOnly() throws {
        #expect(try text(of: [:]) == "--B--\r\n")
    }

    @Test(arguments: [
        ("a\"b", "a%22b", "a%22b"), ("\r\n", "%0D%0A", "%0D%0A"), ("a\nb", "a%0D%0Ab", "a%0Ab"),
        ("a\rb", "a%0D%0Ab", "a%0Db"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"),
        ("\r\r\n\n", "%0D%0A%0D%0A%0D%0A", "%0D%0D%0A%0A"),
        // An accent and the quote before it form one character.
        ("\"\u{301}; x=\"\u{200D}", "%22\u{301}; x=%22\u{200D}", "%22\u{301}; x=%22\u{200D}"),
        ("\n\u{301}\r\u{301}", "%0D%0A\u{301}%0D%0A\u{301}", "%0A\u{301}%0D\u{301}"),
        // Browsers escape no other character, not even the percent sign.
        ("100%22 \\ %", "100%22 \\ %", "100%22 \\ %"), ("", "", ""),
        (" ;='\t\u{1}\u{85}\u{2028}", " ;='\t\u{1}\u{85}\u{2028}", " ;='\t\u{1}\u{85}\u{2028}"),
        ("日本語 🐕‍🦺 e\u{301}", "日本語 🐕‍🦺 e\u{301}", "日本語 🐕‍🦺 e\u{301}"),
    ])
    func namesAreEscapedAsInBrowsers(name: String, field: String, file: String) throws {
        let encoded = try text(of: [name: .data(Data(), fileName: name, contentType: "a/b")])

        let line = "Content-Disposition: form-data; name=\"\(field)\"; filename=\"\(file)\""
        // Compares bytes, because strings with composed and decomposed accents are equal.
        #expect(
            Data(encoded.utf8)
                == Data("--B\r\n\(line)\r\nContent-Type: a/b\r\n\r\n\r\n--B--\r\n".utf8))
    }

    @Test(arguments: [
        ("a\nb", "a\r\nb"), ("a\rb", "a\r\nb"), ("a\r\nb", "a\r\nb"), ("\n\r", "\r\n\r\n"),
        ("\r\r\n\n", "\r\n\r\n\r\n"), ("\n\u{301}", "\r\n\u{301}"), ("\"", "\""),
        ("a\u{85}b", "a\u{85}b"),
    ])
    func lineBreaksInTextBecomeCRLF(value: String, sent: String) throws {
        #expect(
            try text(of: ["a": .text(value)])
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(sent)\r\n--B--\r\n")
    }

    @Test(arguments: ["a/b\r\nX: 1", "a/b\n", "\ra/b", "a/b\u{0}"])
    func contentTypeWithLineBreakIsRefused(contentType: String) throws {
        let data = HTTPBody.multipart(["photo": .data(Data(), contentType: contentType)])
        let file = HTTPBody.multipart([
            "photo": .file(URL(filePath: "/missing"), contentType: contentType)
        ])

        for body in [data, file] {
            for use in [
                { _ = try body.length() }, { _ = try body.data() }, { _ = try body.uploadSource() },
            ] as [() throws -> Void] {
                expectError(
                    .invalidRequest(
                        "the content type of its part \"photo\" contains a control character"
                    )
                ) { try use() }
            }
        }
    }

    @Test func boundaryNeedsNoQuotes() throws {
        let boundary = try boundary(of: .multipart([:]))

        // RFC 2046, section 5.1.1, limits the length. RFC 9110 defines the characters of a token.
        #expect(boundary.count <= 70)
        #expect(boundary.wholeMatch(of: /APIKit-[0-9a-f]{32}/) != nil)
    }

    @Test func boundaryIsRandom() throws {
        let boundaries = try (0..<100).map { _ in
            Array(try boundary(of: .multipart([:])).suffix(32))
        }

        // All 32 digits are random, with four bits each.
        for place in 0..<32 { #expect(Set(boundaries.map { $0[place] }).count > 8) }
    }

    @Test func formWithoutFilesStaysInMemory() throws {
        let body = HTTPBody.multipart(["a": .data(Data("b".utf8), fileName: "c")])

        guard case (.data(let data), nil) = try body.uploadSource() else {
            Issue.record("A file was written.")
            return
        }

        #expect(try data == body.data())
    }
}
