import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ContentCodingTests {
    private let server = MockServer()

    /// `hi` in gzip and in deflate.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0xC8, 4, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0,
    ]
    private static let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0xC8, 4, 0, 1, 0x3B, 0, 0xD2]
    private static let plain = Array("plain".utf8)

    private static func response(_ bytes: [UInt8], _ coding: String?) -> MockResponse {
        let response = MockResponse.data(Data(bytes))
        return coding.map { response.header("Content-Encoding", $0) } ?? response
    }

    @Test(arguments: [(gzip, "gzip"), (gzip, "X-GZIP"), (zlib, "deflate")], [true, false])
    func encodedBodyOfASessionFailsTheTest(
        body: (bytes: [UInt8], coding: String), withURLSession: Bool
    ) async throws {
        server.on(.any, reply: Self.response(body.bytes, body.coding))
        let client: any HTTPTransport = withURLSession ? server.session : server

        let error = await #expect(throws: TestFailure.self) { try await client.send(.make()) }

        let message = try #require(error).message
        #expect(message.hasSuffix("Reply with the decoded body."))
        #expect(try await server.failuresOfVerification() == [message])
    }

    @Test(arguments: [(plain, "gzip"), (plain, "deflate"), (gzip, "br"), (gzip, nil)])
    func otherBodyOfASessionStays(bytes: [UInt8], coding: String?) async throws {
        server.on(.any, reply: Self.response(bytes, coding))
        for client in [server.session, server] as [any HTTPTransport] {
            let (data, response) = try await client.send(.make())
            #expect(Array(data) == bytes)
            let head = response as? HTTPURLResponse
            #expect(head?.value(forHTTPHeaderField: "Content-Encoding") == coding)
        }
    }

    @Test(arguments: [(gzip, "gzip", true), (plain, "gzip", false), (plain, "br", true)])
    func portSendsABodyWithItsCoding(bytes: [UInt8], coding: String, isSent: Bool) async throws {
        server.on(.any, reply: Self.response(bytes, coding))
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            client.send("GET / HTTP/1.1", "Connection: close")
            let text = await client.text()
            #expect(text.contains("Content-Encoding: \(coding)\r\n") == isSent)
            #expect(text.contains("Content-Length: \(bytes.count)\r\n"))
        }
    }
}
