import APIKit
import Foundation

extension Comparison {
    static let transfers = [
        Comparison(.stream(), to: .bareStream(), aim: 1.05),
        Comparison(.download(), to: .bareDownload(), aim: 1.05),
        Comparison(.loadData(), to: .bareLoadData(), aim: 1.05),
    ]
}

extension Workload {
    private static let size = 16 << 20

    /// The transfers of a number of bytes from a server on this machine.
    public static func transfers(byteCount: Int) -> [Workload] {
        [
            stream(byteCount: byteCount), streamReadLate(byteCount: byteCount),
            bareStream(byteCount: byteCount), download(byteCount: byteCount),
            bareDownload(byteCount: byteCount), loadData(byteCount: byteCount),
            bareLoadData(byteCount: byteCount),
        ]
    }

    /// Streams a body, and counts its bytes.
    fileprivate static func stream(byteCount: Int = size) -> Workload {
        Workload("client.stream", byteCount: byteCount) {
            let server = try LoopbackServer()
            let client = APIClient(baseURL: server.url, transport: URLSession.bare())
            return run(keeping: server) {
                let response = try await client.stream(BytesRequest(), with: byteCount)
                try WrongResult.unless(try await response.value.byteCount == byteCount)
            }
        }
    }

    /// Streams a body, and starts to read it a second later.
    private static func streamReadLate(byteCount: Int) -> Workload {
        Workload("client.stream, read a second later", byteCount: byteCount) {
            let server = try LoopbackServer()
            let client = APIClient(baseURL: server.url, transport: URLSession.bare())
            return run(keeping: server) {
                let response = try await client.stream(BytesRequest(), with: byteCount)
                try await Task.sleep(for: .seconds(1))
                try WrongResult.unless(try await response.value.byteCount == byteCount)
            }
        }
    }

    fileprivate static func bareStream(byteCount: Int = size) -> Workload {
        Workload("a data task with a delegate", byteCount: byteCount) {
            let server = try LoopbackServer()
            let counter = ByteCounter()
            let session = URLSession(
                configuration: .bare(), delegate: counter, delegateQueue: nil)
            let request = server.request(byteCount: byteCount)
            return run(keeping: server) {
                let count = try await counter.count(of: session.dataTask(with: request))
                try WrongResult.unless(count == byteCount)
            }
        }
    }

    /// Downloads a body to a file.
    fileprivate static func download(byteCount: Int = size) -> Workload {
        Workload("client.download", byteCount: byteCount) {
            let server = try LoopbackServer()
            let client = APIClient(baseURL: server.url, transport: URLSession.bare())
            let file = TemporaryFile()
            return run(keeping: server) {
                try await client.download(BytesRequest(), with: byteCount, to: file.url)
                try WrongResult.unless(file.byteCount == byteCount)
            }
        }
    }

    fileprivate static func bareDownload(byteCount: Int = size) -> Workload {
        Workload("a download task, flushing and moving its file", byteCount: byteCount) {
            let server = try LoopbackServer()
            let session = URLSession.bare()
            let request = server.request(byteCount: byteCount)
            let file = TemporaryFile()
            return run(keeping: server) {
                try await session.bareDownload(for: request, to: file.url)
                try WrongResult.unless(file.byteCount == byteCount)
            }
        }
    }

    /// Loads a body as a whole.
    fileprivate static func loadData(byteCount: Int = size) -> Workload {
        Workload("client.load of data", byteCount: byteCount) {
            let server = try LoopbackServer()
            let client = APIClient(baseURL: server.url, transport: URLSession.bare())
            return run(keeping: server) {
                let data = try await client.load(BytesRequest(), with: byteCount)
                try WrongResult.unless(data.count == byteCount)
            }
        }
    }

    fileprivate static func bareLoadData(byteCount: Int = size) -> Workload {
        Workload("a data task", byteCount: byteCount) {
            let server = try LoopbackServer()
            let session = URLSession.bare()
            let request = server.request(byteCount: byteCount)
            return run(keeping: server) {
                let (data, _) = try await session.bareData(for: request)
                try WrongResult.unless(data.count == byteCount)
            }
        }
    }
}

extension ByteStream {
    /// The number of bytes, which are read and discarded.
    var byteCount: Int {
        get async throws {
            var count = 0
            for try await chunk in self { count += chunk.count }
            return count
        }
    }
}

/// A request for a number of bytes from a ``LoopbackServer``.
private struct BytesRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from byteCount: Int) throws -> URLRequest {
        try URLRequest(.get, "\(byteCount)")
    }
}

/// A file that is deleted when its last reference is released.
private final class TemporaryFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    var byteCount: Int? {
        try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
