import APIKit
import Foundation
import Testing

@Suite struct CancellationRaceTests {
    @Test(
        .timeLimit(.minutes(10)), arguments: TransportUnderTest.allCases,
        CancellationRace.Way.allCases)
    func canceledLoadCompletesOnce(
        kind: TransportUnderTest, way: CancellationRace.Way
    ) async throws {
        try await LoopbackServer.run(respond: Self.reply) { server in
            let requests = try ["/plain", "/redirect", "/login", "/refused"].map {
                try server.request($0)
            }

            try await kind.run { transport in
                await CancellationRace.run { number in
                    try await way.load(requests[number % requests.count], by: transport)
                }
            }
        }
    }

    /// Responds with the same text, in some cases after a redirect, a login or a refused login.
    @Sendable private static func reply(to head: String) -> LoopbackServer.Reply {
        switch head.split(separator: " ").dropFirst().first {
        case "/redirect":
            .response(302, "moved", headers: ["Location": "/plain"])
        case "/login" where !head.contains("Authorization: Basic"), "/refused":
            .response(401, "hello", headers: ["WWW-Authenticate": #"Basic realm="dogs""#])
        default:
            .response(200, "hello")
        }
    }

    @Test(
        .timeLimit(.minutes(5)), arguments: TransportUnderTest.allCases, [UploadKind.data, .form])
    func canceledUploadCompletesOnce(
        kind: TransportUnderTest, bodyKind: UploadKind
    ) async throws {
        let directory = try TemporaryDirectory()
        let body = try bodyKind.body(in: directory, of: 200_000)
        try await LoopbackServer.run(serve: Self.serveUploads) { server in
            let requests = try ["/plain", "/redirect", "/login", "/early"].map {
                try server.request($0, method: "POST")
            }

            try await kind.run { transport in
                // An upload takes as long as many loads.
                await CancellationRace.run(loadsPerLane: CancellationRace.loadsPerLane / 8) {
                    try await transport.upload(requests[$0 % requests.count], from: body) { _ in }
                }
            }
        }
    }

    /// Responds with the same text, to `/early` before it has read the body.
    @Sendable private static func serveUploads(on connection: LoopbackConnection) throws {
        while true {
            let head = try connection.head()
            if head.hasPrefix("POST /early ") {
                connection.write(.response(413, "hello", headers: ["Connection": "close"]))
                connection.skipToEnd()
                return
            }
            let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            try connection.skip(length.flatMap { Int($0.dropFirst(16)) } ?? 0)
            if head.hasPrefix("POST /redirect ") {
                connection.write(.response(307, "moved", headers: ["Location": "/plain"]))
            } else if head.hasPrefix("POST /login "), !head.contains("Authorization: Basic") {
                connection.write(
                    .response(401, "hello", headers: ["WWW-Authenticate": #"Basic realm="dogs""#]))
            } else {
                connection.write(.response(200, "hello"))
            }
        }
    }
}
