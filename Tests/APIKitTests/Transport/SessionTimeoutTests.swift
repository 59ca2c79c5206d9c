import APIKit
import APIKitTesting
import Foundation
import Testing

/// The timeouts of requests and sessions, with real sessions and with mocks.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct SessionTimeoutTests {
    // No source says what the session of an Apple platform does with such numbers.
    #if canImport(FoundationNetworking)
    @Test(
        arguments: [.infinity, -.infinity, .nan, .greatestFiniteMagnitude, 0, -1] as [TimeInterval],
        [true, false])
    func numberThatIsNoTimeoutMeansNone(timeout: TimeInterval, isMock: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200, body: "ok") }
        let mock = MockServer { _ in .text("ok") }
        let configuration = isMock ? mock.session.configuration : .ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        let session = URLSession(configuration: configuration)
        let request = URLRequest(url: server.url("/"))
        var limited = request
        limited.timeoutInterval = timeout

        for request in [request, limited] {
            let (text, _) = try await LoadingWay.whole.load(request, by: session)
            #expect(text == "ok")
        }
    }

    #endif

    enum Call: CaseIterable {
        case load, stream, upload, redirect
    }

    /// The server sends no end of a body, so only the timeout ends the call.
    @Test(arguments: Call.allCases)
    func timeoutForTheResourceEndsTheCall(call: Call) async throws {
        let server = try LoopbackServer { request, connection in
            guard request.path == "/" else {
                connection.write(LoopbackServer.response(303, ["Location: /"]))
                return
            }
            connection.write(LoopbackServer.head(200, ["Content-Length: 10"]) + "start")
            connection.skipToEnd()
        }
        var request = URLRequest(url: server.url(call == .redirect ? "/moved" : "/"))
        var error: URLError?
        var timeout = 0.01

        // On a busy machine, a short timeout ends the call before its redirect.
        repeat {
            let session = URLSession.plain { $0.timeoutIntervalForResource = timeout }
            error = await #expect(throws: URLError.self) {
                switch call {
                case .load, .redirect: _ = try await session.send(request)
                case .stream: _ = try await session.stream(request).0.data()
                case .upload:
                    request.httpMethod = "POST"
                    _ = try await session.upload(request, from: .data(Data("body".utf8))) { _ in }
                }
            }
            timeout *= 4
        } while error?.failingURL != server.url("/") && timeout < 60

        #expect(error?.code == .timedOut)
        #expect(error?.failingURL == server.url("/"))
    }
}
