import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct JSONPathTests {
    private static let body = """
        {"user": {"addresses": [{"city": "San José"}, {"city": null}], "age": 36.0, "first.name": "Ada", \
        "it's": 1, "password": "hunter22"}, "tags": ["small", "good"], "none": [], "isOn": true}
        """

    @Test(arguments: [
        RequestPattern.any.json(at: "user.addresses[0].city", "San José"),
        .any.json(at: "user.addresses[0].city", .prefix("San")),
        .any.json(at: "user.addresses[1].city", String?.none),
        .any.json(at: "user.addresses[1].city", .any),
        .any.json(at: "user.addresses[2]", .absent),
        .any.json(at: "user.age", 36),
        .any.json(at: "user.age", "36" as ValuePattern),
        .any.json(at: #"user["first.name"]"#, "Ada"),
        .any.json(at: "user['first.name']", "Ada"),
        .any.json(at: #"user["it's"]"#, 1),
        .any.json(at: "tags", ["small", "good"]),
        .any.json(at: "tags", .suffix("ood")),
        .any.json(at: "none", [String]()),
        .any.json(at: "none", .any),
        .any.json(at: "isOn", true),
    ])
    func valueAtPathMatches(pattern: RequestPattern) async throws {
        #expect(try await matches(pattern))
    }

    @Test(arguments: [
        RequestPattern.any.json(at: "user.addresses[0].city", "San"),
        .any.json(at: "user.addresses[0]", "San José"),
        .any.json(at: "user.addresses.city", "San José"),
        .any.json(at: "user.addresses[1].city", .absent),
        .any.json(at: "tags", ["good", "small"]),
        .any.json(at: "tags", "small"),
        .any.json(at: "isOn", 1),
        .any.json(at: "missing", .any),
        .any.json(at: "missing", String?.none),
    ])
    func otherValueDoesNotMatch(pattern: RequestPattern) async throws {
        #expect(try await !matches(pattern))
    }

    @Test func absentValueNeedsAJSONBody() async throws {
        #expect(try await !matches(.any.json(at: "a", .absent), "text"))
    }

    @Test(arguments: [
        (
            RequestPattern.any.json(at: "user.addresses[0].city", .prefix("Los")),
            "json.user.addresses[0].city: a value starting with \"Los\"",
            "json.user.addresses[0].city: expected a value starting with \"Los\", got \"San José\""
        ),
        (
            .any.json(at: "user.age", 37), "json.user.age: 37",
            "json.user.age: expected 37, got 36"
        ),
        (
            .any.json(at: #"user['first.name']"#, "Eve"),
            #"json.user["first.name"]: "Eve""#,
            #"json.user["first.name"]: expected "Eve", got "Ada""#
        ),
        (
            .any.json(at: "user.email", .any), "json.user.email: any value",
            "json.user.email: expected any value, got nothing"
        ),
        (
            .any.json(at: "user.password", "letmein1"), #"json.user.password: "letmein1""#,
            #"json.user.password: expected "letmein1", got "***""#
        ),
    ])
    func failureShowsPathAndValues(
        pattern: RequestPattern, description: String, difference: String
    ) async throws {
        let server = MockServer()
        server.on(pattern, reply: .status(200), times: .anyNumber)

        let request = URLRequest.make("POST", body: Data(Self.body.utf8))
        let message = try #require(await server.miss(request))

        #expect(message.contains("The closest route is \(description) ("))
        #expect(message.contains("\n  - \(difference)"))
    }

    @Test(arguments: ["", ".", "a.", "a..b", "[", "[x]", "[0", "a[\"b]", "a[0]b", "[-1]", "a]"])
    func invalidPathIsReported(path: String) {
        let server = MockServer()
        server.on(.any.json(at: path, "x"), reply: .status(200))

        #expect(
            server.failures.map(\.message) == [
                """
                A route is invalid: "\(path)" is not a path to a JSON value. Write one such as \
                user.addresses[0].city, and a name with other characters than letters as in \
                user["first.name"]
                """
            ])
    }

    @Test func basicCredentialsMatch() async throws {
        let request = { (value: String) in
            try URLRequest(.get, "https://a.example/", headers: ["Authorization": value])
        }
        let ada = RequestPattern.any.basicAuthentication(user: "ada", password: "a:b")
        let credentials = Data("ada:a:b".utf8).base64EncodedString()

        #expect(try await ada.matches(request("Basic \(credentials)")))
        #expect(try await ada.matches(request("basic \(credentials)")))
        #expect(
            try await RequestPattern.any.basicAuthentication(user: "ada").matches(
                request("Basic \(credentials)")))
        #expect(try await !ada.matches(request("Bearer \(credentials)")))
        #expect(try await !ada.matches(request("Basic ada:a:b")))
        #expect(
            try await !RequestPattern.any.basicAuthentication(user: "ada", password: "a").matches(
                request("Basic \(credentials)")))
    }

    private func matches(_ pattern: RequestPattern, _ body: String = body) async throws -> Bool {
        try await pattern.matches(.post(body))
    }
}
