import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct ResolveTests {
    private func resolve(
        _ reference: String, of url: String = "https://h.example/v1/dogs?page=1"
    ) throws -> String {
        try HTTPURLResponse.make(url: url).resolve(reference).absoluteString
    }

    @Test(arguments: [
        ("/v1/dogs?page=2", "https://h.example/v1/dogs?page=2"),
        ("?page=2", "https://h.example/v1/dogs?page=2"),
        ("//cdn.example.com/a", "https://cdn.example.com/a"),
        ("http://o.example:8080/a/../b?c=d#e", "http://o.example:8080/b?c=d#e"),
        ("../cats", "https://h.example/cats"), ("./7:8", "https://h.example/v1/7:8"),
        ("", "https://h.example/v1/dogs?page=1"),
        // Invalid characters are encoded, and escapes are kept.
        (
            "a b/é/%2F%zz[1]?[2]=\"%20#[3]",
            "https://h.example/v1/a%20b/%C3%A9/%2F%25zz%5B1%5D?%5B2%5D=%22%20#%5B3%5D"
        ),
        ("//bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("http://[fe80::1%25eth0]:80/a", "http://[fe80::1%25eth0]:80/a"),
        ("HTTP://O.example", "HTTP://O.example"),
        // As browsers read it.
        ("\\\\o.example\\a", "https://o.example/a"),
        (" \n?a\r\nb ", "https://h.example/v1/dogs?ab"),
        ("a\u{301}//b", "https://h.example/v1/a%CC%81//b"),
    ])
    func linkIsResolvedAgainstTheURLOfTheResponse(reference: String, expected: String) throws {
        #expect(try resolve(reference) == expected)
    }

    @Test(arguments: [
        ("mailto:a@h.example", "the link mailto:a@h.example is not an HTTP URL"),
        ("file:///etc/passwd", "the link file:///etc/passwd is not an HTTP URL"),
        ("ftp://h.example/a?secret=x", "the link ftp://h.example/a?secret=*** is not an HTTP URL"),
        ("javascript:a", "the link javascript:a is not an HTTP URL"),
        ("http:g", "the link http:g is not an HTTP URL"),
        ("http:///g", "the link http:///g is not an HTTP URL"),
        ("https://host:port/", "a link in the response is not an HTTP URL"),
    ])
    func linkOutsideHTTPIsRefused(reference: String, reason: String) throws {
        let error = expectError(.invalidRequest(reason)) { try resolve(reference) }
        #expect(error?.response != nil)
        #expect(
            try HTTPURLResponse.make(headers: ["Link": "<\(reference)>; rel=next"]).link(
                relation: "next")
                == nil)
    }

    @Test func linkOfAnotherSchemeIsSkipped() throws {
        let header = "<ftp://o.example/2>; rel=next, <?page=2>; rel=next"
        let response = try HTTPURLResponse.make(headers: ["Link": header])

        #expect(response.link(relation: "next")?.query == "page=2")
    }
}
