import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct URLJoiningTests {
    @Test(arguments: [
        ("https://h.example", "dogs", "https://h.example/dogs"),
        ("https://h.example/", "dogs", "https://h.example/dogs"),
        ("https://h.example/v1", "dogs", "https://h.example/v1/dogs"),
        ("https://h.example/v1/", "dogs", "https://h.example/v1/dogs"),
        ("https://h.example/v1//", "dogs", "https://h.example/v1/dogs"),
        ("https://h.example/a/v1", "/dogs", "https://h.example/a/v1/dogs"),
        ("https://h.example/v1/", "/dogs", "https://h.example/v1/dogs"),
        ("https://h.example/v1", "dogs/", "https://h.example/v1/dogs/"),
        ("https://h.example/v1", "dogs/7/toys", "https://h.example/v1/dogs/7/toys"),
        ("https://h.example/v1", "/", "https://h.example/v1/"),
        ("https://h.example:8080/v1", "dogs", "https://h.example:8080/v1/dogs"),
        ("https://[::1]:8080/v1", "dogs", "https://[::1]:8080/v1/dogs"),
        ("https://user:pw@h.example/v1", "dogs", "https://user:pw@h.example/v1/dogs"),
        ("https://h.example/v%201", "a%2Fb", "https://h.example/v%201/a%2Fb"),
        ("https://h.example/v1", "/dogs:search", "https://h.example/v1/dogs:search"),
        ("https://h.example/v1", "dogs...", "https://h.example/v1/dogs..."),
        (
            "https://h.example/v1", "dogs/.../.well-known",
            "https://h.example/v1/dogs/.../.well-known"
        ),
    ])
    func relativePathGoesBelowPathOfBase(base: String, relative: String, expected: String) throws {
        #expect(try URL.make(relative).below(.make(base)).absoluteString == expected)
    }

    @Test(arguments: [
        ("https://h.example", "https://h.example"),
        ("https://h.example/", "https://h.example/"),
        ("https://h.example/v1", "https://h.example/v1"),
        ("https://h.example/v1/", "https://h.example/v1/"),
    ])
    func emptyPathKeepsPathOfBase(base: String, expected: String) throws {
        #expect(try URL.make("?").below(.make(base)).absoluteString == expected)
        #expect(try URL.make("?a=1").below(.make(base)).absoluteString == expected + "?a=1")
    }

    @Test(arguments: [
        ("https://h.example/v1?key=1", "dogs", "https://h.example/v1/dogs?key=1"),
        ("https://h.example/v1?key=1", "dogs?a=2", "https://h.example/v1/dogs?key=1&a=2"),
        ("https://h.example/v1?", "dogs?a=2", "https://h.example/v1/dogs?a=2"),
        ("https://h.example/v1", "dogs?", "https://h.example/v1/dogs"),
        ("https://h.example/v1?key=1", "dogs?a=b?c", "https://h.example/v1/dogs?key=1&a=b?c"),
        ("https://h.example/v1", "dogs?to=/../a/#/..", "https://h.example/v1/dogs?to=/../a/#/.."),
        ("https://h.example/v1?q=%26+", "?q=%2B", "https://h.example/v1?q=%26+&q=%2B"),
    ])
    func queryOfBaseComesFirst(base: String, relative: String, expected: String) throws {
        #expect(try URL.make(relative).below(.make(base)).absoluteString == expected)
    }

    @Test func fragmentIsThatOfRelativeURL() throws {
        let base = try URL.make("https://h.example/v1#base")

        #expect(
            try URL.make("dogs#top").below(base).absoluteString == "https://h.example/v1/dogs#top")
        #expect(try URL.make("dogs").below(base).absoluteString == "https://h.example/v1/dogs")
    }

    @Test(arguments: [
        "https://other.example/a/../b?q=+#top", "http://h.example", "HTTPS://H.EXAMPLE/%7edogs",
    ])
    func absoluteURLIsUnchanged(url: String) throws {
        let base = try URL.make("https://h.example/v1")

        #expect(try URL.make(url).below(base).absoluteString == url)
        #expect(try URL.make(url).below(nil).absoluteString == url)
    }

    @Test func urlWithItsOwnBaseIsResolved() throws {
        let url = try #require(URL(string: "dogs", relativeTo: .make("https://other.example/v2/")))

        let joined = try url.below(.make("https://h.example/v1"))

        #expect(joined.absoluteString == "https://other.example/v2/dogs")
        #expect(joined.baseURL == nil)
    }

    @Test func baseWithItsOwnBaseIsResolved() throws {
        let base = try #require(URL(string: "v1", relativeTo: .make("https://h.example/api/")))

        #expect(try URL.make("dogs").below(base).absoluteString == "https://h.example/api/v1/dogs")
    }

    @Test(arguments: [
        "..", ".", "../admin", "dogs/../../admin", "dogs/./7", "dogs/..", "%2e%2e/admin", "%2E%2e",
        ".%2E/admin", "dogs/%2e./7", "%2e", "/../admin", "..//admin",
    ])
    func pathAboveBaseIsRefused(relative: String) throws {
        let base = try URL.make("https://h.example/v1")

        expectError(.invalidRequest("its path has a \".\" or \"..\" segment")) {
            try URL.make(relative).below(base)
        }
    }

    @Test(arguments: ["https://h.example/v1", nil])
    func hostWithoutSchemeIsRefused(base: String?) throws {
        let base = try base.map { try URL.make($0) }

        expectError(
            .invalidRequest(
                """
                its URL names a host without a scheme; resolve a link in a response with \
                HTTPURLResponse.resolve(_:)
                """)
        ) {
            try URL.make("//images.example/x.png").below(base)
        }
    }

    @Test func relativeURLWithoutBaseIsRefused() {
        expectError(.invalidRequest("its URL is relative and the client has no base URL")) {
            try URL.make("dogs").below(nil)
        }
    }

    @Test(arguments: [
        "v1", "/v1", "//h.example/v1", "h.example/v1", "file:///dogs", "mailto:dogs@h.example",
        "https:///v1",
    ])
    func relativeBaseIsRefused(base: String) {
        expectError(
            .invalidRequest("the base URL of the client, \(base), lacks a scheme or a host")
        ) { try URL.make("dogs").below(.make(base)) }
    }

    @Test func secretsOfRefusedBaseAreMasked() {
        expectError(
            .invalidRequest(
                "the base URL of the client, v1?api_key=***, lacks a scheme or a host")
        ) {
            try URL.make("dogs").below(.make("v1?api_key=secret"))
        }
    }
}
