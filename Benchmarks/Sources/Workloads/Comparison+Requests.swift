import APIKit
import Foundation

extension Comparison {
    /// Small requests on loopback, beside curl.
    static func requests(over transports: [Transport]) -> [Comparison] {
        transports.map { Comparison(.oneAtATime(over: $0), to: .curlOneAtATime) }
            + transports.map { Comparison(.sixteenAtOnce(over: $0), to: .curlSixteenAtOnce) }
    }
}

extension Workload {
    fileprivate static func oneAtATime(over transport: Transport) -> Workload {
        Workload("client.load of 1 KB over \(transport.name)", count: 800) {
            let server = try LoopbackServer()
            let client = transport.client(of: server)
            return run(keeping: server) {
                for _ in 0..<800 { try await client.loadSmallResponse() }
            }
        }
    }

    fileprivate static func sixteenAtOnce(over transport: Transport) -> Workload {
        Workload("client.load of 1 KB over \(transport.name), 16 at once", count: 16 * 100) {
            let server = try LoopbackServer()
            let client = transport.client(of: server)
            return run(keeping: server) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            for _ in 0..<100 { try await client.loadSmallResponse() }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    fileprivate static let curlOneAtATime = manyURLs("curl", arguments: [])

    fileprivate static let curlSixteenAtOnce = manyURLs(
        "curl --parallel --parallel-max 16",
        arguments: ["--parallel", "--parallel-immediate", "--parallel-max", "16"])

    /// Loads many URLs in one process.
    ///
    /// Its start takes little time for each. The server does not receive the fragments that
    /// distinguish the URLs.
    private static func manyURLs(_ name: String, arguments: [String]) -> Workload {
        .curl(name, count: 8_000) { server, _ in
            arguments + ["-o", "/dev/null", "\(server.url)/1000#[1-8000]"]
        }
    }
}

extension APIClient {
    fileprivate func loadSmallResponse() async throws {
        let data = try await load(BytesRequest(), with: 1_000)
        try WrongResult.unless(data.count == 1_000)
    }
}
