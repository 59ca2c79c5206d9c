import APIKit
import APIKitTesting
import Foundation
import Testing

/// A response that breaks the rules of HTTP is no lost connection, and is not requested again.
@Suite(.timeLimit(.minutes(10))) struct BadResponseTests {
    enum Fault: CaseIterable {
        case corruptGzip, unknownContentEncoding, badChunkSize, negativeChunkSize

        var response: String {
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
            return switch self {
            case .corruptGzip:
                head + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
            case .unknownContentEncoding:
                head + "Content-Encoding: dog\r\nContent-Length: 5\r\n\r\nhello"
            case .badChunkSize:
                head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\nhello\r\n"
            case .negativeChunkSize:
                head + "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n"
            }
        }

        var code: URLError.Code {
            switch self {
            case .corruptGzip, .unknownContentEncoding: .cannotDecodeContentData
            case .badChunkSize, .negativeChunkSize: .cannotDecodeRawData
            }
        }
    }

    enum Way: CaseIterable { case load, stream, download }

    @Test(arguments: Fault.allCases, Way.allCases)
    func brokenResponseHasItsOwnError(fault: Fault, way: Way) async throws {
        let server = try LoopbackServer { _ in fault.response }
        let retry = Retry(clock: ManualClock(), jitter: { _ in 0 })
        let client = APIClient.make(
            baseURL: server.url("/v1"), transport: URLSession.plain(), interceptors: [retry])
        let folder = try TemporaryDirectory()

        let error = await #expect(throws: APIError.self) {
            switch way {
            case .load: _ = try await client.load(EchoRequest())
            case .stream: _ = try await client.stream(EchoRequest()).value.data()
            case .download: _ = try await client.download(EchoRequest(), to: folder.url("file"))
            }
        }

        #expect(error?.kind == .transport)
        #expect((error?.underlying as? URLError)?.code == fault.code)
        #expect(server.requests.count == 1)
    }
}
