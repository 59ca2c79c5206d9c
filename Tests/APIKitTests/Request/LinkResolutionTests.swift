import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct LinkResolutionTests {
    // All the examples of RFC 3986, section 5.4.
    @Test(
        arguments: [
            // Section 5.4.1, normal examples.
            ("g:h", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
            ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
            // Section 5.4.2, abnormal examples.
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
            ("http:g", nil),
        ] as [(String, String?)])
    func exampleOfTheStandardIsResolved(reference: String, expected: String?) throws {
        #expect(try resolve(reference, "http://a/b/c/d;p?q") == expected)
    }

    @Test(
        arguments: [
            // A base without a path, or with a fragment.
            ("http://a", "g", "http://a/g"), ("http://a", "?y", "http://a?y"),
            ("http://a#s", "", "http://a"),
            ("http://a?q", "..", "http://a/"), ("http://a/b#s", "#t", "http://a/b#t"),
            ("http://a/b", "//c?d", "http://c?d"), ("http://a/b/", "g:h/../i", nil),
            ("http://a/b//c/d", "../e", "http://a/b//e"), ("http://a/b//c", "../e", "http://a/b/e"),
            ("http://a/b", "/c//../d", "http://a/c/d"), ("http://a/b", "//c/../..", "http://c/"),
        ] as [(String, String, String?)])
    func referenceIsResolvedAgainstAnyBase(base: String, reference: String, expected: String?)
        throws
    {
        #expect(try resolve(reference, base) == expected)
    }

    @Test func anyReferenceResolvesToValidCharacters() throws {
        var random = SeededGenerator(seed: 3986)
        let parts = [
            "a", ":", "/", "//", ".", "..", "?", "#", "@", "[", "]", "%", "é", "\u{301}", "\0",
        ]
        for _ in 0..<Stress.count(5_000) {
            let link = String.random(of: parts, using: &random)
            guard let resolved = try resolve(link, "https://h.example/a/b?c") else { continue }

            #expect(resolved.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    private func resolve(_ link: String, _ base: String) throws -> String? {
        URL(link: link, relativeTo: try #require(URL(string: base)))?.absoluteString
    }
}
