import APIKit
import APIKitTesting
import Foundation
import Testing

/// A response that is not valid HTTP is not retried.
///
/// A response cut off by a lost connection is retried.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct BadResponseTests {
    enum Way: CaseIterable {
        case load, stream, download

        /// Loads with retries, and returns the body of the response.
        func load(from server: LoopbackServer) async throws -> String {
            let retry = Retry.immediate
            let client = APIClient.make(
                baseURL: server.url("/v1"), transport: URLSession.plain(), interceptors: [retry])
            switch self {
            case .load: return try await client.load(EchoRequest())
            case .stream: return try await client.stream(EchoRequest()).value.text()
            case .download:
                let folder = try TemporaryDirectory()
                try await client.download(EchoRequest(), to: folder.url("file"))
                return try #require(folder.text("file"))
            }
        }
    }

    #if canImport(FoundationNetworking)
    // On Apple platforms the system chooses the error codes.
    enum Fault: CaseIterable {
        case corruptGzip, unknownContentEncoding, badChunkSize, negativeChunkSize
        case noHTTP, oddVersion, oddStatus, lineWithoutColon, fieldWithoutName, badLength

        var response: String {
            switch self {
            case .corruptGzip:
                LoopbackServer.response(200, ["Content-Encoding: gzip"], body: "hello")
            case .unknownContentEncoding:
                LoopbackServer.response(200, ["Content-Encoding: dog"], body: "hello")
            case .badChunkSize:
                LoopbackServer.head(200, ["Transfer-Encoding: chunked"])
                    + "5\r\nhello\r\nxyz\r\nhello\r\n"
            case .negativeChunkSize:
                LoopbackServer.head(200, ["Transfer-Encoding: chunked"]) + "-1\r\nhello\r\n"
            case .noHTTP: "hello"
            case .oddVersion: "HTTP/3.7 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            case .oddStatus: "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello"
            case .lineWithoutColon: LoopbackServer.response(200, ["hello"], body: "hello")
            case .fieldWithoutName: LoopbackServer.response(200, [": hello"], body: "hello")
            case .badLength: LoopbackServer.head(200, ["Content-Length: five"]) + "hello"
            }
        }

        var code: URLError.Code {
            switch self {
            case .corruptGzip, .unknownContentEncoding: .cannotDecodeContentData
            case .badChunkSize, .negativeChunkSize: .cannotDecodeRawData
            default: .cannotParseResponse
            }
        }
    }

    @Test(arguments: Fault.allCases, Way.allCases)
    func brokenResponseHasItsOwnErrorAndIsNotRetried(fault: Fault, way: Way) async throws {
        let server = try LoopbackServer { _ in fault.response }

        await expectError(.transport, fault.code) { try await way.load(from: server) }
        #expect(server.requests.count == 1)
    }
    #endif

    #if canImport(FoundationNetworking)
    @Test(arguments: [
        Data("HTTP/1.1 200\r\n".utf8),
        Data("HTTP/1.1 200 OK\r\nContent-Disposition: ".utf8) + Data([0xFC, 0x0D, 0x0A]),
    ])
    func headThatOnlyTheSystemRefusesIsAnError(start: Data) async throws {
        let server = try LoopbackServer { _, connection in
            connection.write(start + Data("Content-Length: 5\r\n\r\nhello".utf8))
        }

        await expectError(.transport, .cannotParseResponse) {
            try await Way.load.load(from: server)
        }
        #expect(server.requests.count == 1)
    }

    @Test func oneOfTwoFieldsThatDifferInCaseIsLost() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(200, ["Cache-Control: one", "cache-control: two"])
        }

        let (_, head) = try await LoadingWay.whole.load(
            URLRequest(url: server.url("/")), by: URLSession.plain())

        let value = head.value(forHTTPHeaderField: "Cache-Control")
        #expect(["one", "two"].contains(value), "the article Running on Linux needs no row")
    }
    #endif

    @Test func unrequestedPartIsNotRetried() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(206, ["Content-Range: bytes 0-4/10"], body: "hello")
        }

        let error = await #expect(throws: APIError.self) {
            try await Way.download.load(from: server)
        }

        #expect(error?.urlError?.code == .badServerResponse)
        #expect(server.requests.count == 1)
    }

    /// The positions in a response at which the connection is lost.
    enum Loss: CaseIterable {
        case beforeTheHead, withinTheBody, withinAChunk
        // Apple's loader may accept the end of the connection as the end of the body.
        #if canImport(FoundationNetworking)
        case beforeTheLastChunk
        #endif

        var response: String {
            switch self {
            case .beforeTheHead: ""
            case .withinTheBody: LoopbackServer.head(200, ["Content-Length: 5"]) + "he"
            case .withinAChunk:
                LoopbackServer.head(200, ["Transfer-Encoding: chunked"]) + "5\r\nhe"
            #if canImport(FoundationNetworking)
            case .beforeTheLastChunk:
                LoopbackServer.head(200, ["Transfer-Encoding: chunked"]) + "5\r\nhello\r\n"
            #endif
            }
        }
    }

    /// A server that closes the connection within its first response.
    private func server(losing loss: Loss) throws -> LoopbackServer {
        let responses = Locked([loss.response].makeIterator())
        return try LoopbackServer { _ in
            responses.withLock { $0.next() } ?? LoopbackServer.response(200, body: "hello")
        }
    }

    @Test(arguments: Loss.allCases, Way.allCases)
    func responseCutOffByLostConnectionIsRetried(loss: Loss, way: Way) async throws {
        let server = try server(losing: loss)

        // A stream is not retried after its head has arrived.
        if way == .stream, loss != .beforeTheHead {
            let error = await #expect(throws: APIError.self) { try await way.load(from: server) }
            #expect(error?.urlError?.code == .networkConnectionLost)
            #expect(server.requests.count == 1)
        } else {
            #expect(try await way.load(from: server) == "hello")
            #expect(server.requests.count == 2)
        }
    }
}
