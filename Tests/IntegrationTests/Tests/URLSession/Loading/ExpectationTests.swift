import APIKit
import Foundation
import Testing

#if canImport(FoundationNetworking)

@Suite(.timeLimit(.minutes(10))) struct ExpectationTests {
    /// libcurl repeats such a request itself (RFC 9110, section 10.1.1), so one task has two heads.
    @Test func responseAfterARefusedExpectationIsTheLast() async throws {
        let isFirst = Locked(true)
        try await LoopbackServer.run(serve: { connection in
            while true {
                _ = try connection.head()
                let isRefused = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isRefused {
                    connection.write(.response(417, "no"))
                } else {
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    try connection.skip(3)
                    connection.write(.response(200, "Rex"))
                }
            }
        }) { server in
            var request = try server.request("/dogs", method: "POST")
            request.httpBody = Data("Rex".utf8)
            request.setValue("100-continue", forHTTPHeaderField: "Expect")

            let (stream, response) = try await URLSession.make().stream(request)

            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(try await stream.data() == Data("Rex".utf8))
        }
    }
}

#endif
