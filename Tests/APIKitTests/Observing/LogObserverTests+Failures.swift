import APIKit
import APIKitTesting
import Foundation
import Testing

extension LogObserverTests {
    @Test func failureIsLoggedWithReason() async throws {
        server.on(.get("/v1/echo")) { [clock] _ in
            clock.advance(by: .seconds(2))
            return .failure(.timedOut)
        }

        await #expect(throws: APIError.self) { try await client().load(request()) }

        #expect(
            lines.current == ["\(echo) → failed, 2.0 s: the request timed out (URLError -1001)"])
    }

    @Test func attemptsOfFailureAreCounted() async throws {
        server.on(.get("/v1/echo"), reply: .failure(.timedOut))

        await #expect(throws: APIError.self) {
            try await client(RepeatingInterceptor(times: 3)).load(request())
        }

        #expect(
            lines.current == [
                "\(echo) → failed after 3 attempts, 0 ms: the request timed out (URLError -1001)"
            ])
    }

    @Test func refusalIsLoggedAsFailure() async throws {
        respond(.text("no", status: 404), after: .milliseconds(12))

        await #expect(throws: APIError.self) { try await client().load(request()) }

        #expect(lines.current == ["\(echo) → failed, 12 ms: refused with status 404"])
    }

    @Test func undecodableBodyIsLoggedAsFailure() async throws {
        server.on(.get("/v1/dogs/7"), reply: .text("<html>"))

        await #expect(throws: APIError.self) { try await client().load(DogRequest(), with: 7) }

        #expect(
            lines.current == [
                """
                GET https://api.example.com/v1/dogs/7 → failed, 0 ms: the body cannot be decoded: \
                the body is text/plain, not JSON: <html>
                """
            ])
    }

    @Test(
        arguments: [
            (APIError(.notHTTP), "the response is not HTTP"),
            (APIError(.deadline), "the deadline has passed"),
            (APIError(.invalidRequest("it has no URL")), "it has no URL"),
            (APIError(.transport), "no reason was given"),
            (APIError(.transport, underlying: APIError(.deadline)), "the deadline has passed"),
            (URLError(.cannotFindHost), "the host cannot be found (URLError -1003)"),
            (
                APIError(.file(URL(filePath: "/a")), underlying: POSIXError(.EISDIR)),
                "the file /a cannot be read or written: Is a directory"
            ),
            (Refusal(), "Refusal(reason: \"no\")"),
            (Verbose(), "first second [2J third"),
            (
                NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "It broke."]),
                "It broke"
            ),
        ] as [(any Error & Sendable, String)])
    func errorIsLoggedOnOneLine(error: any Error & Sendable, text: String) async throws {
        let client = client(StubInterceptor { throw error })

        await #expect(throws: (any Error).self) { try await client.load(request()) }

        #expect(lines.current == ["\(echo) → failed without a request, 0 ms: \(text)"])
    }

    @Test func textOfErrorIsBounded() async throws {
        let client = client(
            StubInterceptor { throw Verbose(text: String(repeating: "x", count: 2_000)) })

        await #expect(throws: Verbose.self) { try await client.load(request()) }

        #expect(lines.current.map { $0.filter { $0 == "x" }.count } == [1_001])
    }

    @Test func cancellationIsLogged() async throws {
        server.on(.get("/v1/echo")) { [clock] _ in
            clock.advance(by: .milliseconds(12))
            throw CancellationError()
        }

        await #expect(throws: CancellationError.self) { try await client().load(request()) }

        #expect(lines.current == ["\(echo) → canceled, 12 ms"])
    }

    @Test func cancellationBeforeRequestIsLogged() async throws {
        let client = client(StubInterceptor { throw CancellationError() })

        await #expect(throws: CancellationError.self) { try await client.load(request()) }

        #expect(lines.current == ["\(echo) → canceled without a request, 0 ms"])
    }
}

private struct Verbose: Error, CustomStringConvertible {
    var text = "first\r\n\t second\u{1B}[2J\u{2028}third."
    var description: String { text }
}
