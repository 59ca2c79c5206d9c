import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct RedirectTests {
    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 404])
    func otherStatusMakesNoRequest(status: Int) throws {
        #expect(try redirect(status, "https://other.example/cats", .make()) == nil)
    }

    @Test(arguments: [
        ("//other.example/cats", "https://other.example/cats"),
        ("HTTPS://other.example/", "HTTPS://other.example/"),
        // The "%20" must stay: a parser that encodes the space may encode the escape again.
        ("/a dog%20or|two?q={ü}", "https://api.example.com/a%20dog%20or%7Ctwo?q=%7B%C3%BC%7D"),
        ("https://[::1]/[1]", "https://[::1]/%5B1%5D"),
        ("/100%", "https://api.example.com/100%25"),
        ("/a#b#c", "https://api.example.com/a#b%23c"),
    ])
    func locationIsResolved(location: String, url: String) throws {
        #expect(try redirect(302, location, .make())?.url?.absoluteString == url)
    }

    @Test func locationIsResolvedAgainstURLOfResponse() throws {
        let response = try HTTPURLResponse.make(
            302, url: "https://other.example/a/b", headers: ["Location": "c"])

        let next = try Redirect.request(after: response, to: .make())

        #expect(next?.url?.absoluteString == "https://other.example/a/c")
    }

    @Test(arguments: [
        ("/cats, /cats", "/cats"), ("/cats,/cats", "/cats"), ("/a,b, /a,b, /a,b", "/a,b"),
        ("/a,b", "/a,b"),
    ])
    func repeatedLocationCountsOnce(location: String, path: String) throws {
        #expect(try redirect(302, location, .make())?.url?.path == path)
    }

    @Test(arguments: [
        ("Host", "api.example.com"), ("Origin", "https://api.example.com"),
        ("Referer", "https://api.example.com/dogs"), ("If-None-Match", "\"a\""),
        ("if-modified-since", "Sat, 31 Jan 2026 12:00:00 GMT"),
    ])
    func fieldOfAnOriginStaysThere(name: String, value: String) throws {
        #expect(try field(name, value, after: "/cats") == value)
        #expect(try field(name, value, after: "https://other.example/cats") == nil)
    }

    @Test(arguments: [
        ("X-Identity", token), ("X-Amzn-Oidc-Data", token), ("X-Ticket", random),
        ("X-Access", random), ("X-Code", random), ("X-Refresh", random), ("X-Pass", random),
        ("X-Callback", "https://app.example/?token=\(random)"), ("x-pass", "Bearer \(random)"),
    ])
    func fieldThatALogMasksStaysInItsOrigin(name: String, value: String) throws {
        #expect(Redaction.secrets.masked(header: name, value).contains("***"))
        #expect(try field(name, value, after: "/cats") == value)
        #expect(try field(name, value, after: "https://other.example/cats") == nil)
    }

    /// Without it, the server would send another part, overwrite a change or do the work twice.
    @Test(arguments: [
        ("If-Range", "\"\(random)\""), ("If-Range", "Sat, 31 Jan 2026 12:00:00 GMT"),
        ("If-Match", "W/\"\(random)\""), ("Idempotency-Key", random),
        ("Idempotency-Key", "8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90"), ("Range", "bytes=1-"),
    ])
    func fieldThatChangesTheMeaningGoesToAnotherOrigin(name: String, value: String) throws {
        #expect(try field(name, value, after: "https://other.example/cats") == value)
    }

    private static let random = "q8Zt3kLw9Xv2Rb7Nc1Ym"
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.\(random)"

    /// Returns a field of a PUT after a redirect.
    private func field(_ name: String, _ value: String, after location: String) throws -> String? {
        let next = try redirect(307, location, .make("PUT", headers: [name: value]))
        return next?.value(forHTTPHeaderField: name)
    }

    @Test(arguments: [301, 302, 303])
    func changedMethodDropsBody(status: Int) throws {
        let request = try URLRequest.make(
            "POST",
            headers: [
                "Content-Type": "text/plain", "Content-Length": "4", "Content-Encoding": "br",
                "Content-Language": "de", "Content-Location": "/x", "Transfer-Encoding": "chunked",
                "content-md5": "x", "Content-Digest": "x", "Content-Range": "bytes 0-3/4",
                "Content-Disposition": "inline", "Digest": "x", "Repr-Digest": "x",
                "Last-Modified": "x", "Expect": "100-continue", "trailer": "X-Sum",
                "Accept": "text/html",
            ],
            body: Data("woof".utf8))

        let next = try redirect(status, "/cats", request)

        #expect(next?.httpBody == nil)
        #expect(next?.allHTTPHeaderFields == ["Accept": "text/html"])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectFromHTTPSToHTTPIsNotFollowed(status: Int) throws {
        #expect(try redirect(status, "http://api.example.com/cats", .make()) == nil)
        #expect(try redirect(status, "HTTP://other.example/cats", .make()) == nil)
    }

    @Test(arguments: [
        ("/cats", true), ("https://api.example.com/", true), ("HTTPS://API.EXAMPLE.COM/", true),
        ("https://api.example.com:443/", true), ("https://other.example/", false),
        ("https://example.com/", false), ("https://api.example.com:8443/", false),
        ("https://api.example.com.evil.example/", false),
        ("https://api.example.com@evil.example/", false),
    ])
    func onlyTheSameOriginGetsCredentials(location: String, isSame: Bool) throws {
        let next = try redirect(307, location, .make(headers: credentials))

        #expect(next?.allHTTPHeaderFields == (isSame ? credentials : ["X-Trace": "1"]))
    }

    @Test func originOfResponseDecidesCredentials() throws {
        let response = try HTTPURLResponse.make(
            307, url: "https://other.example/", headers: ["Location": "https://api.example.com/"])

        let next = try Redirect.request(after: response, to: .make(headers: credentials))

        #expect(next?.allHTTPHeaderFields == ["X-Trace": "1"])
    }

    @Test func unknownOriginGetsNoCredentials() throws {
        var request = try URLRequest.make(headers: credentials)

        request.removeCredentials(ifLeavingOriginOf: nil)

        #expect(request.allHTTPHeaderFields == ["X-Trace": "1"])
    }

    @Test(arguments: [
        ("http://h.example/", "http://h.example:80/", true),
        ("https://h.example/", "https://h.example:80/", false),
        ("http://h.example:443/", "https://h.example/", false),
        ("ws://h.example/", "ws://h.example/other", true),
    ])
    func defaultPortBelongsToOrigin(from: String, to: String, isSameOrigin: Bool) throws {
        var request = try URLRequest.make("GET", to, headers: credentials)

        request.removeCredentials(ifLeavingOriginOf: try .make(from))

        #expect((request.value(forHTTPHeaderField: "Authorization") != nil) == isSameOrigin)
    }

    private let credentials = [
        "Authorization": "Bearer x", "Cookie": "a=b", "Proxy-Authorization": "Basic x",
        "X-Api-Key": "x", "X-Auth-Token": "x", "Host": "api.example.com", "X-Trace": "1",
    ]

    private func redirect(
        _ status: Int, _ location: String, _ request: URLRequest
    ) throws -> URLRequest? {
        Redirect.request(after: try .make(status, headers: ["Location": location]), to: request)
    }
}

// MARK: - The policy of a transport

extension RedirectTests {
    /// The request after a redirect from `https://api.example.com/v1/dogs`.
    private func next(
        _ policy: RedirectPolicy, _ location: String, redirectCount: Int = 0
    ) throws -> URLRequest? {
        let response = try HTTPURLResponse.make(302, headers: ["Location": location])
        return try policy.request(
            after: response, to: .make(headers: ["Authorization": "Bearer x"]),
            redirectCount: redirectCount)
    }

    @Test func policyDecidesAboutTheRequestAfterARedirect() throws {
        let (same, other) = ("https://api.example.com/cats", "https://other.example/cats")

        #expect(try next(.follow, same)?.url?.absoluteString == same)
        #expect(try next(.follow, other)?.url?.absoluteString == other)
        #expect(try next(.sameOrigin, same)?.url?.absoluteString == same)
        #expect(try next(.sameOrigin, other) == nil)
        #expect(try next(.never, same) == nil)
    }

    @Test(arguments: [
        ("/cats", "#top"), ("/cats#end", "#end"), ("https://other.example/cats", "#top"),
    ])
    func requestAfterARedirectInheritsTheFragment(location: String, fragment: String) throws {
        let request = try URLRequest.make("GET", "https://api.example.com/v1/dogs#top")

        let next = try RedirectPolicy.follow.request(
            after: .make(302, headers: ["Location": location]), to: request, redirectCount: 0)

        #expect(next?.url?.absoluteString.hasSuffix("cats" + fragment) == true)
    }

    @Test func requestAfterSixteenRedirectsIsAnError() throws {
        #expect(try next(.follow, "/cats", redirectCount: 15) != nil)
        let error = #expect(throws: URLError.self) {
            try next(.follow, "/cats", redirectCount: 16)
        }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(try next(.never, "/cats", redirectCount: 16) == nil)
    }
}
