import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// Loads in sessions that were created with a delegate queue.
///
/// Only on Apple platforms a load receives its events there. So two tests pass events to a load themselves,
/// and `FirstRunTests` ask the system for the order on a concurrent queue.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct DelegateQueueTests {
    private static let main = OperationQueue.main
    private let response = URLResponse(
        url: URL(filePath: "/"), mimeType: nil, expectedContentLength: 0, textEncodingName: nil)

    /// A started load, with the task whose events it expects.
    private func load() throws -> (Load, URLSessionDataTask) {
        let session = URLSession(configuration: .ephemeral)
        let request = try URLRequest.make("GET", "http://127.0.0.1:1/")
        let load = try Load(request, by: URLSessionTransport(session: session), streams: true)
        let task = session.dataTask(with: request)
        load.state.withLock { $0.task = task }
        return (load, task)
    }

    @Test func bodyOnTheMainQueueArrivesInOrder() async throws {
        // A chunk is no multiple of the period, so chunks in another order are another body.
        let body = Data.periodic(3_012_000)
        let server = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head(200, ["Content-Type: image/x-dog"]))
            connection.write(body)
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: nil, delegateQueue: Self.main)

        let (stream, _) = try await session.stream(URLRequest(url: server.url("/")))

        #expect(try await stream.data() == body)
    }

    @Test func eventsOnTheMainQueueMakeTheBodyInOrder() async throws {
        let (load, task) = try load()
        let numbers = (0..<Stress.count(10_000)).map { String(format: "%05d ", $0) }

        for number in numbers {
            Self.main.addOperation {
                load.urlSession(load.session, dataTask: task, didReceive: Data(number.utf8))
            }
        }
        Self.main.addOperation { load.finish(.success(response)) }
        let text = String(decoding: try await ByteStream(load).data(), as: UTF8.self)

        #expect(text == numbers.joined())
    }

    // The order on a concurrent queue is not defined, but each chunk stays whole, and is there once.
    @Test func eventsOnAConcurrentQueueKeepEachChunk() async throws {
        let (load, task) = try load()
        let count = Stress.isFull ? 100_000 : 2_000
        Blocking.start {
            DispatchQueue.concurrentPerform(iterations: count) { number in
                let chunk = Data(String(format: "%05d ", number).utf8)
                load.urlSession(load.session, dataTask: task, didReceive: chunk)
            }
            load.finish(.success(response))
        }

        let text = String(decoding: try await ByteStream(load).data(), as: UTF8.self)

        let numbers = text.split(separator: " ").compactMap { Int($0) }.sorted()
        #expect(numbers == Array(0..<count))
    }
}
