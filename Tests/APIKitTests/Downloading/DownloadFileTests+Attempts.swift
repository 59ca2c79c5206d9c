import APIKit
import APIKitTesting
import Foundation
import Testing

extension DownloadFileTests {
    @Test func interceptorErrorLeavesFileUnchanged() async throws {
        _ = try folder.file("report", Data("old".utf8))
        server.on(.get("/v1/echo"), reply: .text("new").header("ETag", "\"1\""))

        await #expect(throws: URLError.self) {
            try await client(Refusing(refusals: Locked(1))).download(EchoRequest(), to: file)
        }

        try expectFile("old")
    }

    @Test func bodyThatAnInterceptorRefusedIsNotContinued() async throws {
        let route = server.on(.get("/v1/echo"), reply: .tagged(content))

        try await client(RepeatingInterceptor(), Refusing(refusals: Locked(1)))
            .download(EchoRequest(), to: file)

        #expect(route.requests.map(\.rangeStart) == [nil, nil])
        #expect(try Data(contentsOf: file) == content)
    }

    @Test func responseWithOverwrittenBodyIsAnError() async throws {
        server.on(
            .get("/v1/echo"), reply: .text("first"), .text("second").truncated(after: 3), times: 2)

        await expectError(.file(file)) {
            try await client(FirstOfTwo()).download(EchoRequest(), to: file)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func earlierOfTwoAttemptsStopsWriting() async throws {
        let (body, begun) = (HeldBody(), Waiter<Void>())
        server.on(.get("/v1/echo"), reply: .stream(body.chunks), .text("second"), times: 2)
        let hedging = Hedging(firstHasBegun: begun) {
            body.send("first")
            body.finish()
        }

        try await client(hedging).download(EchoRequest(), to: file) { step in
            if step.completedBytes == 0 { begun.signal() }
        }

        #expect(folder.text("report") == "second")
    }
}

/// An interceptor that refuses responses, as it would for a wrong checksum.
private struct Refusing: APIInterceptor {
    let refusals: Locked<Int>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        let isRefused = refusals.withLock { left in
            left -= 1
            return left >= 0
        }
        if isRefused { throw URLError(.cannotDecodeContentData) }
        return response
    }
}

/// An interceptor that sends a call twice, and returns the first response.
private struct FirstOfTwo: APIInterceptor {
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        _ = try? await next(call)
        return response
    }
}

/// An interceptor that starts a second attempt during the first one.
private struct Hedging: APIInterceptor {
    let firstHasBegun: Waiter<Void>
    let secondIsComplete: @Sendable () -> Void

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        async let first = next(call)
        try await firstHasBegun.value
        let second = try await next(call)
        secondIsComplete()
        _ = try? await first
        return second
    }
}
