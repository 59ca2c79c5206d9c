import APIKit
import Foundation

extension Comparison {
    /// Small responses in JSON, beside the library of the transport with a decoder.
    static func directRequests(over transports: [Transport]) -> [Comparison] {
        transports.compactMap { transport in
            transport.loadDirectly.map { load in
                Comparison(
                    .decoded(over: transport),
                    to: .decodedDirectly(by: transport.name, load), aim: 1.1)
            }
        }
    }

    /// Small requests on loopback, beside curl.
    static func requests(over transports: [Transport]) -> [Comparison] {
        transports.map { Comparison(.oneAtATime(over: $0), to: .curlOneAtATime) }
            + transports.map { Comparison(.sixteenAtOnce(over: $0), to: .curlSixteenAtOnce) }
    }
}

extension Workload {
    fileprivate static func decoded(over transport: Transport) -> Workload {
        Workload("client.load of JSON over \(transport.name)", count: 800) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            return run(keeping: server) {
                for _ in 0..<800 {
                    let text = try await client.load(StringRequest(), with: 1_000)
                    try WrongResult.unless(text.utf8.count == 998)
                }
            }
        }
    }

    fileprivate static func decodedDirectly(
        by name: String, _ load: @escaping @Sendable (URL) async throws -> String
    ) -> Workload {
        Workload("\(name) and JSONDecoder", count: 800) {
            let server = try LoopbackServer.ofBytes()
            return run(keeping: server) {
                for _ in 0..<800 {
                    let text = try await load(server.url.appending(path: "1000"))
                    try WrongResult.unless(text.utf8.count == 998)
                }
            }
        }
    }

    fileprivate static func oneAtATime(over transport: Transport) -> Workload {
        Workload("client.load of 1 KB over \(transport.name)", count: 800) {
            let server = try LoopbackServer.ofBytes()
            let client = transport.client(of: server)
            return run(keeping: server) {
                for _ in 0..<800 { try await client.loadSmallResponse() }
            }
        }
    }

    fileprivate static func sixteenAtOnce(over transport: Transport) -> Workload {
        Workload("client.load of 1 KB over \(transport.name), 16 at once", count: 16 * 100) {
            let server = try LoopbackServer.ofBytes()
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

/// A request for a string in JSON.
private struct StringRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from byteCount: Int) throws -> URLRequest {
        try URLRequest(.get, "\(byteCount)")
    }

    // The output `String` is the body as text by default.
    func parseResponse(data: Data) throws -> String {
        try decoder.decode(String.self, from: data)
    }
}
