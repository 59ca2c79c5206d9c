import APIKit
import Foundation

extension Comparison {
    /// The work of this package in a transfer, beside the system's URL session alone.
    static let transfers = [
        Comparison(.stream(byteCount: size), to: .bareStream(byteCount: size), aim: 1.05),
        Comparison(.download(byteCount: size), to: .bareDownload(byteCount: size), aim: 1.05),
        Comparison(.loadData(byteCount: size), to: .bareLoadData(byteCount: size), aim: 1.05),
    ]

    /// Large transfers, beside curl.
    static func largeTransfers(over transports: [Transport]) -> [Comparison] {
        transports.map {
            Comparison(.stream(over: $0, byteCount: largeSize), to: .curlStream)
        }
            + transports.map {
                Comparison(.download(over: $0, byteCount: largeSize), to: .curlDownload)
            }
            + transports.map {
                Comparison(.upload(over: $0, byteCount: largeSize), to: .curlUpload)
            }
    }

    private static let size = 16 << 20
}

private let largeSize = 256 << 20

extension Workload {
    /// The transfers of a number of bytes from or to a server on this machine.
    public static func transfers(over transports: [Transport], byteCount: Int) -> [Workload] {
        transports.flatMap { transport in
            [
                stream(over: transport, byteCount: byteCount),
                streamReadLate(over: transport, byteCount: byteCount),
                download(over: transport, byteCount: byteCount),
                upload(over: transport, byteCount: byteCount),
                loadData(over: transport, byteCount: byteCount),
            ]
        } + [
            bareStream(byteCount: byteCount), bareDownload(byteCount: byteCount),
            bareLoadData(byteCount: byteCount),
        ]
    }

    /// Streams a body, and counts its bytes.
    fileprivate static func stream(
        over transport: Transport = .urlSession, byteCount: Int
    ) -> Workload {
        Workload("client.stream over \(transport.name)", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            return run(keeping: server) {
                let response = try await client.stream(BytesRequest(), with: byteCount)
                try WrongResult.unless(try await response.value.byteCount == byteCount)
            }
        }
    }

    /// Streams a body, and starts to read it a second later.
    private static func streamReadLate(
        over transport: Transport, byteCount: Int
    ) -> Workload {
        Workload(
            "client.stream over \(transport.name), read a second later", byteCount: byteCount
        ) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            return run(keeping: server) {
                let response = try await client.stream(BytesRequest(), with: byteCount)
                try await Task.sleep(for: .seconds(1))
                try WrongResult.unless(try await response.value.byteCount == byteCount)
            }
        }
    }

    fileprivate static func bareStream(byteCount: Int) -> Workload {
        Workload("a data task with a delegate", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
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
    fileprivate static func download(
        over transport: Transport = .urlSession, byteCount: Int
    ) -> Workload {
        Workload("client.download over \(transport.name)", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            let file = TemporaryFile()
            return run(keeping: server) {
                try await client.download(BytesRequest(), with: byteCount, to: file.url)
                try WrongResult.unless(file.byteCount == byteCount)
            }
        }
    }

    fileprivate static func bareDownload(byteCount: Int) -> Workload {
        Workload("a download task, flushing and moving its file", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            let session = URLSession.bare()
            let request = server.request(byteCount: byteCount)
            let file = TemporaryFile()
            return run(keeping: server) {
                try await session.bareDownload(for: request, to: file.url)
                try WrongResult.unless(file.byteCount == byteCount)
            }
        }
    }

    /// Uploads a file.
    fileprivate static func upload(over transport: Transport, byteCount: Int) -> Workload {
        Workload("client.upload over \(transport.name)", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            let file = TemporaryFile()
            try file.write(byteCount: byteCount)
            return run(keeping: server) {
                try await client.upload(
                    BytesRequest(method: .put), with: byteCount, from: .file(file.url),
                    progress: { _ in })
            }
        }
    }

    fileprivate static let curlStream = curl(
        "curl -o /dev/null", byteCount: largeSize
    ) { server, _ in ["-o", "/dev/null", "\(server.url)/\(largeSize)"] }

    fileprivate static let curlDownload = curl(
        "curl -o FILE", byteCount: largeSize
    ) { server, file in ["-o", file.url.path, "\(server.url)/\(largeSize)"] }

    fileprivate static let curlUpload = curl(
        "curl -T FILE", byteCount: largeSize
    ) { server, file in
        try file.write(byteCount: largeSize)
        return ["-T", file.url.path, "\(server.url)/\(largeSize)"]
    }

    /// Loads a body as a whole.
    fileprivate static func loadData(
        over transport: Transport = .urlSession, byteCount: Int
    ) -> Workload {
        Workload("client.load over \(transport.name)", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
            var client = transport.client(of: server)
            client.maxBodyBytes = .max
            return run(keeping: server) { [client] in
                let data = try await client.load(BytesRequest(), with: byteCount)
                try WrongResult.unless(data.count == byteCount)
            }
        }
    }

    fileprivate static func bareLoadData(byteCount: Int) -> Workload {
        Workload("a data task", byteCount: byteCount) {
            let server = try LoopbackServer.ofBytes()
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
