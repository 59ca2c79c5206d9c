import Foundation
import Testing

@testable import APIKit

@Suite struct URLReferenceTests {
    private static let base = "http://a/b/c/d;p?q"

    // All the examples of RFC 3986, section 5.4.
    @Test(arguments: [
        // Section 5.4.1, normal examples.
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
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
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ])
    func exampleOfTheStandardIsResolved(reference: String, expected: String) {
        let resolved = URLReference(reference).resolved(against: URLReference(Self.base))

        #expect(resolved.encoded == expected)
    }

    @Test(arguments: [
        // A base without a path, or with a fragment.
        ("http://a", "g", "http://a/g"), ("http://a", "?y", "http://a?y"),
        ("http://a#s", "", "http://a"),
        ("http://a?q", "..", "http://a/"), ("http://a/b#s", "#t", "http://a/b#t"),
        ("http://a/b", "//c?d", "http://c?d"), ("http://a/b/", "g:h/../i", "g:i"),
        ("http://a/b//c/d", "../e", "http://a/b//e"), ("http://a/b//c", "../e", "http://a/b/e"),
        ("http://a/b", "/c//../d", "http://a/c/d"), ("http://a/b", "//c/../..", "http://c/"),
    ])
    func referenceIsResolvedAgainstAnyBase(base: String, reference: String, expected: String) {
        let resolved = URLReference(reference).resolved(against: URLReference(base))

        #expect(resolved.encoded == expected)
    }

    @Test func anyReferenceResolvesToValidCharacters() {
        var random = SeededGenerator(seed: 3986)
        let parts = [
            "a", ":", "/", "//", ".", "..", "?", "#", "@", "[", "]", "%", "é", "\u{301}", "\0",
        ]
        for _ in 0..<5_000 {
            let base = URLReference(.random(of: parts, using: &random))
            let resolved = URLReference(.random(of: parts, using: &random)).resolved(against: base)

            #expect(resolved.encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }
}
