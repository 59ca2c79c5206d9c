#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import APIKit

/// The rules for the cookies of a session on Linux (RFC 6265).
@Suite(.inTurn) struct CookieRuleTests {
    private let storage = URLSessionConfiguration.ephemeral.httpCookieStorage

    /// Stores the fields of responses from one URL, and returns the cookies for another one.
    private func sent(
        after fields: String..., from first: String = "https://h.example/",
        to second: String = "https://h.example/"
    ) throws -> [String] {
        let storage = try #require(storage)
        for field in fields { storage.store(field, from: try .make(first)) }
        return storage.cookies(sentTo: try .make(second)).map { "\($0.name)=\($0.value)" }
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=", ["a="]), ("a=b=c", ["a=b=c"]), (" a = 1 ;x", ["a=1"]),
        ("a=\"1, 2\"", ["a=\"1, 2\""]), ("user[id]=1", ["user[id]=1"]),
        ("a=1; Dog=Rex; ;", ["a=1"]),
        ("", []), ("a", []), ("=1", []), ("; a=1", []), ("a; b=1", []),
        ("a=1\u{1}", []), ("a=1; Path=/\u{7F}", []), ("a=1\t2", ["a=1\t2"]),
        ("a=1, b=2; Path=/, c=3", ["a=1", "b=2", "c=3"]),
        ("a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT, b=2", ["a=1", "b=2"]),
        ("a=1, a=2", ["a=2"]),
    ])
    func fieldIsReadAsCookies(field: String, cookies: [String]) throws {
        #expect(try sent(after: field) == cookies)
    }

    @Test(arguments: [
        ("Max-Age=100", true), ("max-age=99999999999999999999", true), ("Max-Age=0", false),
        ("Max-Age=-1", false), ("Max-Age=-99999999999999999999", false),
        ("Max-Age=0; Expires=Wed, 21 Oct 2065 07:28:00 GMT", false),
        ("Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=100", true),
        ("Max-Age=+1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", false),
        ("Max-Age=0; Max-Age=1", true),
        ("Max-Age=1.5", true), ("Max-Age=soon", true), ("Max-Age=-", true), ("Max-Age", true),
        ("Expires=Wed, 21 Oct 2065 07:28:00 GMT", true),
        ("expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
        ("Expires=Thu, 01-Jan-1970 00:00:01 GMT", false),
        ("Expires=Thursday, 01-Jan-70 00:00:01 GMT", false),
        ("Expires=Thu Jan  1 00:00:00 1970", false), ("Expires=1 January 1970 0:0:0 UTC", false),
        ("Expires=Mon, 01 Jan 1970 00:00:00 -0000", false), ("Expires=21 Oct 15 07:28:00", false),
        ("Expires=Wed, 21-Oct-65 07:28:00 GMT", true), ("Expires=0", true), ("Expires=", true),
        ("Expires=Thu, 32 Jan 1970 00:00:00 GMT", true), ("Expires=Thu, 01 Jan 1970", true),
        ("Expires=Thu, 01 Jan 1970 24:00:00 GMT", true),
        ("Expires=01 Jan 99999999999999999999 00:00:00", true),
        ("Expires=01 Jan 9223372036854775807 00:00:00", true),
        ("Expires=00001 Jan 1970 00:00:00", true),
        ("Expires=Thu, 01 Jan 1970 9999:00:00 GMT", true),
    ])
    func ageOrDateEndsACookie(attributes: String, isSent: Bool) throws {
        #expect(try sent(after: "a=1; \(attributes)") == (isSent ? ["a=1"] : []))
    }

    @Test(arguments: [
        ("a=; Max-Age=0", []), ("a=; Max-Age=0; Path=/", []), ("a=; Max-Age=0; Path=/x", ["a=1"]),
        ("b=; Max-Age=0", ["a=1"]), ("a=; Max-Age=0; Domain=h.example", []),
        ("a=2; Domain=h.example", ["a=2"]), ("a=2", ["a=2"]),
        ("a=2; Domain=other.example", ["a=1"]),
    ])
    func cookieOfSameNameAndPathAndDomainIsReplaced(field: String, cookies: [String]) throws {
        #expect(try sent(after: "a=1", field) == cookies)
    }

    @Test func cookieOfDomainIsReplacedByThatOfItsHost() throws {
        #expect(try sent(after: "a=1; Domain=h.example", "a=; Max-Age=0") == [])
    }

    @Test(arguments: [
        ("__Host-a=1; Secure; Path=/", true), ("__Host-a=1; Path=/", false),
        ("__Host-a=1; Secure", false), ("__Host-a=1; Secure; Path=/x", false),
        ("__Host-a=1; Secure; Path=/; Domain=h.example", false), ("__Secure-a=1; Secure", true),
        ("__Secure-a=1", false), ("__secure-a=1", false), ("__HOST-a=1; Path=/", false),
        ("__Hosta=1", true), ("a__Secure-=1", true),
    ])
    func prefixOfANameRequiresItsAttributes(field: String, isStored: Bool) throws {
        #expect(try sent(after: field).isEmpty == !isStored)
    }

    @Test(arguments: [("http://h.example/", false), ("http://localhost/", true)])
    func prefixOfANameRequiresASecureConnection(url: String, isStored: Bool) throws {
        _ = try sent(after: "__Host-a=1; Secure; Path=/", from: url)

        #expect(storage?.cookies?.isEmpty == !isStored)
    }

    @Test func lastCookiesOfAResponseCount() throws {
        let field = (0..<400).map { "c\($0)=1" }.joined(separator: ", ")

        #expect(try sent(after: field) == (220..<400).map { "c\($0)=1" })
    }

    @Test func domainKeepsItsNewestCookies() throws {
        let fields = (0..<10).map { part in
            (0..<20).map { "c\(20 * part + $0)=1" }.joined(separator: ", ")
        }
        _ = try sent(after: "other=1", from: "https://other.example/")
        for field in fields { _ = try sent(after: field) }

        #expect(try sent() == (20..<200).map { "c\($0)=1" })
        #expect(try sent(to: "https://other.example/") == ["other=1"])
    }

    @Test(arguments: [(4094, 1), (4095, 0)])
    func cookieHasALimitOfBytes(size: Int, count: Int) throws {
        #expect(try sent(after: "é=" + String(repeating: "a", count: size)).count == count)
    }

    @Test(arguments: [(1024, false), (1025, true)])
    func attributeOfMoreThan1024BytesIsIgnored(size: Int, isSent: Bool) throws {
        let path = "/" + String(repeating: "a", count: size - 1)

        #expect(try sent(after: "a=1; Path=\(path)").isEmpty == !isSent)
    }

    @Test func cookieIsNotSentAfterItsTime() throws {
        #expect(try sent(after: "a=1; Max-Age=1000000") == ["a=1"])

        // The storage itself removes cookies only when it receives one.
        let later = Date(timeIntervalSinceNow: 1_000_001)
        #expect(storage?.cookies(sentTo: try .make("https://h.example/"), at: later) == [])
    }

    @Test(arguments: [
        ("", "https://h.example/", true), ("", "https://h.example", true),
        ("", "https://H.EXAMPLE/", true), ("", "https://sub.h.example/", false),
        ("Domain=h.example", "https://sub.h.example/", true),
        ("Domain=.H.Example", "https://sub.h.example/", true),
        ("Domain=h.example", "https://h.example/", true),
        ("Domain=h.example", "https://oh.example/", false),
        ("Domain=", "https://sub.h.example/", false), ("Domain=.", "https://h.example/", true),
        ("Domain", "https://h.example/", true),
        ("Domain=example", "https://h.example/", false),
        ("Domain=.example", "https://other.example/", false),
        ("Domain=other.example", "https://other.example/", false),
        ("Domain=H.ExamplE", "https://h.example/", true),
        ("Domain=sub.h.example", "https://sub.h.example/", false),
        ("Domain=.example", "https://h.example/", false),
    ])
    func domainLimitsACookie(attribute: String, url: String, isSent: Bool) throws {
        #expect(try sent(after: "a=1; \(attribute)", to: url) == (isSent ? ["a=1"] : []))
    }

    @Test(arguments: [
        ("http://127.0.0.1/", "Domain=127.0.0.1", "http://127.0.0.1:8080/", true),
        ("http://127.0.0.1/", "Domain=0.0.1", "http://127.0.0.1/", false),
        ("http://127.0.0.1/", "", "http://0.0.1/", false),
        ("http://[::1]/", "", "http://[::1]:8080/", true),
        ("http://localhost/", "Domain=localhost", "http://localhost:8080/", true),
        ("http://localhost/", "Domain=localhost", "http://a.localhost/", false),
    ])
    func addressAndNameOfOneLabelHaveNoSubdomains(
        first: String, attribute: String, second: String, isSent: Bool
    ) throws {
        #expect(
            try sent(after: "a=1; \(attribute)", from: first, to: second)
                == (isSent ? ["a=1"] : []))
    }

    @Test(arguments: [
        ("/", "", "/x/y", true), ("/x/1", "", "/x", true), ("/x/1", "", "/x/2/3", true),
        ("/x/1", "", "/", false), ("/x/1", "", "/xy", false), ("/x/1?q=/a/b", "", "/x", true),
        ("/x/", "", "/x", true), ("/x", "", "/", true), ("/a%2Fb/c", "", "/a%2Fb/d", true),
        ("/x/1", "Path=/", "/", true), ("/", "Path=/x", "/x", true), ("/", "Path=/x", "/x/", true),
        ("/", "Path=/x", "/x/y", true), ("/", "Path=/x", "/xy", false),
        ("/", "Path=/x", "/X", false),
        ("/", "Path=/x/", "/x/y", true), ("/", "Path=/x/", "/x", false),
        ("/x/1", "Path=y", "/x", true), ("/x/1", "Path=", "/x", true),
        ("/x/1", "Path", "/y", false),
        ("/x/1", "Path=/; Path=y", "/", false),
    ])
    func pathLimitsACookie(first: String, attribute: String, second: String, isSent: Bool) throws {
        let (first, second) = ("https://h.example\(first)", "https://h.example\(second)")

        #expect(
            try sent(after: "a=1; \(attribute)", from: first, to: second)
                == (isSent ? ["a=1"] : []))
    }

    @Test(arguments: [
        ("Secure", "https://h.example/", true), ("secure", "HTTPS://h.example/", true),
        ("Secure", "http://h.example/", false), ("secure=", "http://h.example/", false),
        ("HttpOnly", "http://h.example/", true),
    ])
    func secureCookieIsSentOnlyOverHTTPS(attribute: String, url: String, isSent: Bool) throws {
        #expect(try sent(after: "a=1; \(attribute)", to: url) == (isSent ? ["a=1"] : []))
    }

    @Test func secureCookieStaysSecureInTheFileOfAStorage() throws {
        let storage = try #require(storage)
        storage.store("a=1; Secure; Max-Age=100", from: try .make("https://h.example/"))
        let stored = try #require(storage.cookies?.first)
        // The storage writes `isSecure` as a number, and ignores a number when it reads the file.
        let read = try #require(
            HTTPCookie(properties: [
                .name: stored.name, .value: stored.value, .domain: stored.domain,
                .path: stored.path, .secure: stored.isSecure, .comment: stored.comment ?? "",
            ]))
        storage.setCookie(read)

        #expect(try sent(to: "http://h.example/") == [])
        #expect(try sent() == ["a=1"])
    }

    @Test func longerPathsAreSentFirstAndThenOlderCookies() throws {
        let cookies = try sent(
            after: "d=1; Path=/", "b=1; Path=/x/y", "a=1; Path=/x", "c=1; Path=/x/y", "e=1; Path=/",
            from: "https://h.example/", to: "https://h.example/x/y")

        #expect(cookies == ["b=1", "c=1", "a=1", "d=1", "e=1"])
    }

    @Test func attributesOfStoredCookieCanBeRead() throws {
        _ = try sent(after: "a=1; Secure; HttpOnly; Path=/x; Domain=h.example; Max-Age=100")
        let cookie = try #require(storage?.cookies?.first)

        #expect(cookie.isSecure)
        #expect(cookie.isHTTPOnly)
        #expect(cookie.path == "/x")
        #expect(cookie.domain == ".h.example")
        #expect(cookie.expiresDate.map { $0 > Date() } == true)
    }

    @Test func storageThatAcceptsNoneKeepsItsCookies() throws {
        _ = try sent(after: "a=1")
        storage?.cookieAcceptPolicy = .never

        #expect(try sent(after: "a=; Max-Age=0; Domain=h.example", "b=1") == ["a=1"])
    }
}
#endif
