import APIKit
import Foundation
import Testing

#if canImport(FoundationNetworking) && compiler(>=6.2)

/// The responses that crash the system's URL session.
///
/// A child process loads each of them without APIKit.
/// A failure means that the system no longer crashes. Remove the response from the article
/// "Running on Linux", and move it to the other responses in `HostileResponse.all`.
@Suite(.timeLimit(.minutes(10))) struct SystemCrashTests {
    @Test func completeResponseDoesNotCrashTheProcess() async {
        await #expect(processExitsWith: .success) {
            for version in HTTPVersion.allCases {
                await load(.response(200, "hello"), over: version)
            }
        }
    }

    @Test func trailerCrashesTheProcess() async {
        await #expect(processExitsWith: .failure) {
            await load(.trailer)
        }
    }

    @Test func trailerOverHTTP2CrashesTheProcess() async {
        await #expect(processExitsWith: .failure) { await load(.trailer, over: .http2) }
    }

    @Test func incompleteHeadCrashesTheProcess() async {
        await #expect(processExitsWith: .failure) { await load("HTTP/1.1 200 OK\r\n") }
    }

    @Test func largestContentLengthCrashesTheProcess() async {
        await #expect(processExitsWith: .failure) {
            await load("HTTP/1.1 200 OK\r\nContent-Length: \(Int.max)\r\n\r\nhello")
        }
        await #expect(processExitsWith: .failure) {
            await load("HTTP/1.1 200 OK\r\nContent-Length: \(Int.max - 1)\r\n\r\nhello")
        }
    }
}

/// Loads a response with a task of the system, and ignores its result.
private func load(_ response: String, over version: HTTPVersion = .http1) async {
    do {
        try await LoopbackServer.run(over: version, respond: { _ in .close(after: response) }) {
            server in
            let session = URLSession.make()
            await withCheckedContinuation { continuation in
                session.dataTask(with: server) { _, _, _ in continuation.resume() }.resume()
            }
        }
    } catch {
        print("The process did not crash: \(error)")
    }
}

#endif
