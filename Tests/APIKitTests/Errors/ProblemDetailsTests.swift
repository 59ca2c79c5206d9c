import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct ProblemDetailsTests {
    private func error(
        _ body: String, contentType: String? = "application/problem+json"
    ) throws -> APIError {
        let headers = contentType.map { ["Content-Type": $0] } ?? [:]
        return APIError(
            .status(403), response: try .make(403, headers: headers), body: Data(body.utf8))
    }

    // The example of RFC 9457, section 3.
    @Test func membersAreDecoded() throws {
        let error = try error(
            """
            {
             "type": "https://example.com/probs/out-of-credit",
             "title": "You do not have enough credit.",
             "status": 403,
             "detail": "Your current balance is 30, but that costs 50.",
             "instance": "/account/12345/msgs/abc",
             "balance": 30,
             "accounts": ["/account/12345", "/account/67890"]
            }
            """)

        #expect(
            error.problem
                == ProblemDetails(
                    type: "https://example.com/probs/out-of-credit",
                    title: "You do not have enough credit.", status: 403,
                    detail: "Your current balance is 30, but that costs 50.",
                    instance: "/account/12345/msgs/abc"))
        #expect(
            error.description == """
                The request was refused with status 403: You do not have enough credit. \
                Your current balance is 30, but that costs 50.
                """)
        #expect(try error.decodeBody(Credit.self).balance == 30)
    }

    @Test(
        arguments: [
            ("{}", ProblemDetails()),
            (#"{"title": "No", "code": 7}"#, ProblemDetails(title: "No")),
            (#"{"type": 1, "title": "No"}"#, ProblemDetails(title: "No")),
            (#"{"type": null, "title": null, "status": null}"#, ProblemDetails()),
            (#"{"title": ["No"], "detail": {}, "instance": true}"#, ProblemDetails()),
            (#"{"status": "403", "detail": "No"}"#, ProblemDetails(detail: "No")),
            (#"{"status": 403.5, "detail": "No"}"#, ProblemDetails(detail: "No")),
            (#"{"status": 1e99}"#, ProblemDetails()),
        ])
    func memberOfWrongTypeIsIgnored(body: String, problem: ProblemDetails) throws {
        #expect(try error(body).problem == problem)
    }

    @Test(arguments: ["", "[]", "null", "\"no\"", "<h1>No</h1>", #"{"title": "No"#])
    func bodyThatIsNoObjectIsNoProblem(body: String) throws {
        let error = try error(body)

        #expect(error.problem == nil)
    }

    @Test(arguments: [
        ("application/problem+json", true), ("application/problem+json; charset=utf-8", true),
        (" Application/Problem+JSON ;charset=utf-8", true), ("application/problem+json;", true),
        ("application/json", false), ("application/problem+xml", false), ("problem+json", false),
        ("application/problem+json5", false), ("", false), (nil, false),
    ])
    func mediaTypeDecides(contentType: String?, isProblem: Bool) throws {
        let error = try error(#"{"title": "No"}"#, contentType: contentType)

        #expect((error.problem != nil) == isProblem)
    }

    @Test func errorWithoutResponseOrBodyHasNoProblem() throws {
        let headers = ["Content-Type": "application/problem+json"]

        #expect(APIError(.status(403), body: Data("{}".utf8)).problem == nil)
        #expect(APIError(.status(403), response: try .make(403, headers: headers)).problem == nil)
    }

    @Test func responseHasProblem() throws {
        let headers = ["Content-Type": "application/problem+json"]
        let body = Data(#"{"title": "No"}"#.utf8)

        let response = APIResponse(value: body, http: try .make(403, headers: headers))

        #expect(response.problem == ProblemDetails(title: "No"))
    }
}

// MARK: - The description

extension ProblemDetailsTests {
    @Test(arguments: [
        (#"{"title": "Not found"}"#, ": Not found."),
        (#"{"detail": "There is no dog 7."}"#, ": There is no dog 7."),
        (#"{"title": "Not found", "detail": "No dog 7"}"#, ": Not found. No dog 7."),
        (#"{"title": "Not found...", "detail": "No dog!"}"#, ": Not found. No dog."),
        (#"{"title": "", "detail": "No dog"}"#, ": No dog."),
        (#"{"title": " ", "detail": "."}"#, #": {"title": " ", "detail": "."}."#),
        (#"{"title": 404}"#, #": {"title": 404}."#),
    ])
    func descriptionHasTitleAndDetail(body: String, text: String) throws {
        #expect(
            try error(body).description == "The request was refused with status 403\(text)")
    }

    @Test func descriptionOfProblemIsOneLine() throws {
        let error = try error(#"{"title": "No\n\tdog\r\n", "detail": "\u0000 at\u2028 all  "}"#)

        #expect(error.description == "The request was refused with status 403: No dog. at all.")
    }

    @Test(arguments: [
        (
            #"{"title": "See https://ada:S3CRET@h.example/?secret=S3CRET"}"#,
            ": See https://***@h.example/?secret=***"
        ),
        (#"{"detail": "{\"password\": \"S3CRET\"}"}"#, ##": {"password": "***"}."##),
    ])
    func descriptionHidesSecretsOfProblem(body: String, text: String) throws {
        #expect(
            try error(body).description == "The request was refused with status 403\(text)")
    }

    @Test func secretAtLimitOfDescriptionIsHidden() throws {
        let text = String(repeating: "x", count: 485) + " https://ada:S3CRET@h.example"

        let description = try error("{\"detail\": \"\(text)\"}").description

        #expect(description.hasSuffix("x https://***@h…"))
    }

    @Test(arguments: ["x", "é", "e\u{301}", "?a=b "])
    func longProblemIsShortenedInDescription(text: String) throws {
        let long = String(repeating: text, count: Stress.count(100_000))

        let error = try error("{\"title\": \"\(long)\", \"detail\": \"\(long)\"}")

        #expect(error.problem?.detail == long)
        #expect(error.description.unicodeScalars.count < 1_100)
        #expect(error.description.contains("…"))
    }

    @Test func descriptionOfUnderlyingRefusalHasTitle() throws {
        let refusal = try error(#"{"title": "The session has ended."}"#)

        #expect(
            APIError(.transport, underlying: refusal).description
                == "The request failed: refused with status 403: The session has ended.")
    }
}

private struct Credit: Decodable {
    var balance: Int
}
