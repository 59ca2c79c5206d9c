import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite struct WrongResponseTests {
    @Test(arguments: [
        (
            MockResponse.status(0),
            "0 is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .json([1], status: -1),
            "-1 is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .status(.min),
            "\(Int.min) is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .status(103),
            "103 is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .status(199),
            "199 is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .stream([], status: 1_000),
            "1000 is not the status of a final response. Use a number from 200 through 999"
        ),
        (
            .redirect(to: "/a", status: 201),
            "201 is not the status of a redirect. Use 301, 302, 303, 307 or 308"
        ),
        (
            .status(200).header("X A", "1"),
            #""X A" is not a valid header name. Use a token, such as X-Trace-ID"#
        ),
        (
            .status(200).header("X-Token", "a\r\nb"),
            "the value of the header field X-Token contains a line break or NUL. Remove it"
        ),
        (
            .data(Data(), contentType: "a\0"),
            "the value of the header field Content-Type contains a line break or NUL. Remove it"
        ),
        (
            .status(200).cookie("a b", "1"),
            #""a b" is not a valid cookie name. Use a token, such as session_id"#
        ),
        (
            .status(200).cookie("a", "1\n"),
            "the value of the header field Set-Cookie contains a line break or NUL. Remove it"
        ),
        (
            .status(200).cookie("a", "1; Secure"),
            "the value of the cookie a contains a semicolon. Encode the value, or set attributes with "
                + "the header field Set-Cookie"
        ),
    ])
    func responseThatHTTPCannotSendIsAWrongRoute(
        response: MockResponse, problem: String
    ) async throws {
        let server = MockServer()
        server.on(.any, reply: response); let line = #line

        let error = await #expect(throws: TestFailure.self) {
            try await server.session.send(.make())
        }

        #expect(
            error?.localizedDescription
                == "WrongResponseTests.swift:\(line): A route is invalid: \(problem)")
        #expect(server.failures.map(\.message) == ["A route is invalid: \(problem)"])
    }
}
