import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct URLRequestBuildingTests {
    @Test func requestIsMadeFromItsParts() throws {
        let request = try URLRequest(
            .put, "dogs/\(7)", query: ["notify": true], headers: ["X-Trace": "1"],
            body: .data(Data("woof".utf8), contentType: "text/plain"))

        #expect(request.httpMethod == "PUT")
        #expect(request.url?.absoluteString == "/dogs/7?notify=true")
        #expect(request.httpBody == Data("woof".utf8))
        #expect(request.allHTTPHeaderFields == ["X-Trace": "1", "Content-Type": "text/plain"])
    }

    @Test func requestIsMadeFromAURL() throws {
        let url = try URL.make("https://files.example/up/a%2Fb?sig=x%3D")
        let request = try URLRequest(
            .put, url, query: ["part": 2], headers: ["X-Kind": "a"], body: .data(Data("hi".utf8)))

        #expect(request.url?.absoluteString == "https://files.example/up/a%2Fb?sig=x%3D&part=2")
        #expect(request.httpMethod == "PUT")
        #expect(request.value(forHTTPHeaderField: "X-Kind") == "a")
        #expect(request.httpBody == Data("hi".utf8))
    }

    @Test func methodAndPathSuffice() throws {
        let request = try URLRequest(.get, "dogs")

        #expect(request.httpMethod == "GET")
        #expect(request.url?.absoluteString == "/dogs")
        #expect(request.httpBody == nil)
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
    }

    @Test(
        arguments: [
            (.get, "GET"), (.head, "HEAD"), (.post, "POST"), (.put, "PUT"), (.patch, "PATCH"),
            (.delete, "DELETE"), (.options, "OPTIONS"), ("PURGE", "PURGE"),
            (HTTPMethod(rawValue: "M-SEARCH"), "M-SEARCH"),
        ] as [(HTTPMethod, String)])
    func nameOfMethodIsSent(method: HTTPMethod, name: String) throws {
        #expect(try URLRequest(method, "dogs").httpMethod == name)
    }

    @Test(arguments: [
        ("dogs", "/dogs?b=2"), ("dogs/", "/dogs/?b=2"), ("dogs?a=1", "/dogs?a=1&b=2"),
        ("dogs?", "/dogs?b=2"), ("dogs#top", "/dogs?b=2#top"),
        ("dogs?a=1#top", "/dogs?a=1&b=2#top"), ("dogs#what?", "/dogs?b=2#what?"), ("", "?b=2"),
        ("?a=1", "?a=1&b=2"),
        ("https://other.example", "https://other.example?b=2"),
        ("https://other.example/dogs?a=1", "https://other.example/dogs?a=1&b=2"),
    ])
    func queryFollowsThatOfPath(path: String, expected: String) throws {
        let url = try URLRequest(.get, APIPath(verbatim: path), query: ["b": 2]).url

        #expect(url?.absoluteString == expected)
    }

    @Test func emptyQueryAddsNoQuestionMark() throws {
        let page: Int? = nil

        let url = try URLRequest(.get, "dogs", query: ["page": page]).url

        #expect(url?.absoluteString == "/dogs")
    }

    @Test(arguments: ["Content-Type", "content-type"])
    func contentTypeHeaderOverridesThatOfBody(name: String) throws {
        let request = try URLRequest(
            .post, "dogs", headers: [name: "application/vnd.dog+json"], body: .json(Dog()))

        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.dog+json")
        #expect(request.allHTTPHeaderFields?.count == 1)
    }

    @Test(arguments: ["", "GET /admin", "GET\r\nHost: evil.example"])
    func invalidMethodIsRefused(name: String) {
        expectError(.invalidRequest("\"\(name)\" is not a valid method")) {
            try URLRequest(HTTPMethod(rawValue: name), "dogs")
        }
    }

    @Test(arguments: ["", "X Trace", "X-Trace:", "X-Trace\r\nX-Admin", "Größe", "X\"", "(X)"])
    func invalidHeaderNameIsRefused(name: String) {
        let error = #expect(throws: APIError.self) {
            try URLRequest(.get, "dogs", headers: [name: "1"])
        }

        #expect(error?.kind == .invalidRequest("\"\(name)\" is not a valid header name"))
        #expect(error?.request?.url?.absoluteString == "/dogs")
    }

    @Test(arguments: ["1\r\nX-Admin: 1", "1\n", "\r1", "1\u{0}2", "1\u{1}", "\u{1F}", "\u{7F}"])
    func headerValueWithControlCharacterIsRefused(value: String) {
        expectError(
            .invalidRequest(
                "the value of its header X-Trace contains a control character")
        ) {
            try URLRequest(.get, "dogs", headers: ["X-Trace": value])
        }
    }

    @Test(arguments: ["X-Trace", "x_1", "!#$%&'*+-.^_`|~09azAZ"])
    func everyValidHeaderNameIsAccepted(name: String) throws {
        let request = try URLRequest(.get, "dogs", headers: [name: "a\tb: ü, \"c\""])

        #expect(request.value(forHTTPHeaderField: name) == "a\tb: ü, \"c\"")
    }
}
