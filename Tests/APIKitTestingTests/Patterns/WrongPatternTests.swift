import APIKit
import APIKitTesting
import Foundation
import Testing

/// Patterns that no request can match, which are failures.
@Suite(.inTurn) struct WrongPatternTests {
    @Test(arguments: [
        ("/users?page=2", "/users?page=2 contains a query. Match it with .query(_:_:)"),
        (
            "https://a.com/users",
            #"https://a.com/users is a URL. Pass the path "/users", and match the host by .host("a.com")"#
        ),
        (
            "/a/**/b",
            "/a/**/b has ** in its middle or twice. Write it once, at the start or the end"
        ),
        (
            "**/a/**",
            "/**/a/** has ** in its middle or twice. Write it once, at the start or the end"
        ),
        (
            "/a/{id}.json",
            "/a/{id}.json has a placeholder in a part of the segment \"{id}.json\". Replace the "
                + "whole segment, or percent-encode the characters {, } and *"
        ),
        (
            "/a/{id}/b/{id}",
            "/a/{id}/b/{id} has two placeholders with the name \"id\". Rename one of them"
        ),
        ("/a/{}", "/a/{} has a placeholder without a name. Name it, or write * instead"),
    ])
    func malformedPathIsReported(path: String, problem: String) {
        let server = MockServer()
        server.on(.get(path), reply: .status(200))

        #expect(server.failures.map(\.message) == ["A route is invalid: \(problem)"])
    }

    @Test(arguments: ["", "X:", "X A", "X\r\nA", "é"])
    func invalidHeaderNameIsReported(name: String) {
        let server = MockServer()
        server.on(.any.header(name, .absent), reply: .status(200))

        #expect(
            server.failures.map(\.message) == [
                "A route is invalid: \(name.debugDescription) is not a valid header name. Use a token, "
                    + "such as X-Trace-ID"
            ])
    }

    @Test func unencodableBodyIsReported() throws {
        let server = MockServer()
        server.on(.any.json(Double.nan), reply: .status(200))

        server.on(.any.json(at: "a", Decimal.nan), reply: .status(200))

        let messages = server.failures.map(\.message)
        #expect(
            messages.first?.hasPrefix("A route is invalid: a Double cannot be encoded as JSON: ")
                == true)
        #expect(
            messages.last?.hasPrefix("A route is invalid: the text is not valid JSON: ") == true)
    }
}
