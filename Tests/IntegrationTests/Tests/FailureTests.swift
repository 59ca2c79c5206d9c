import APIKit
import FlyingSocks
import Foundation
import Testing

@Suite struct FailureTests {
    /// The ways of a server to let go of a request.
    ///
    /// Half a head is not among them: on Linux the system itself ends the process then ("Transfer
    /// completed, but there's no response"), whoever sent the request.
    enum Breakage: CaseIterable {
        case noAnswer, halfABody, halfAChunk, noHTTP

        var text: String {
            switch self {
            case .noAnswer: ""
            case .halfABody: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
            case .halfAChunk: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"
            case .noHTTP: "woof"
            }
        }
    }

    @Test(arguments: Breakage.allCases)
    func throwsATransportErrorIfTheServerHangsUp(breakage: Breakage) async throws {
        try await RawServer.run(replying: { _ in .hangUp(after: breakage.text) }) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/dogs"))
            }

            #expect(error?.kind == .transport)
            #expect(error?.underlying is URLError)
        }
    }

    @Test func throwsATransportErrorIfNobodyListens() async throws {
        let port = try RefusingPort()

        let error = await #expect(throws: APIError.self) {
            try await URLSession.make().load(URLRequest(url: port.url))
        }

        #expect(error?.kind == .transport)
        #expect((error?.underlying as? URLError)?.code == .cannotConnectToHost)
    }

    @Test func throwsATransportErrorIfThereIsNoSuchHost() async throws {
        // A label of 64 characters is one too many (RFC 1035 2.3.4), so no network is asked for it.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let request = URLRequest(url: try #require(URL(string: "http://\(host)/dogs")))

        let error = await #expect(throws: APIError.self) {
            try await URLSession.make().load(request)
        }

        #expect(error?.kind == .transport)
        #expect((error?.underlying as? URLError)?.code == .cannotFindHost)
    }

    @Test func throwsATransportErrorWhenTheTimeIsOver() async throws {
        try await RawServer.run(replying: { _ in .silence }) { server in
            let error = await #expect(throws: APIError.self) {
                var request = try server.request("/dogs")
                request.timeoutInterval = 1
                return try await URLSession.make().load(request)
            }

            #expect(error?.kind == .transport)
            #expect((error?.underlying as? URLError)?.code == .timedOut)
        }
    }
}
