import APIKit
import Foundation
import Testing

/// The version of HTTP that a server speaks.
enum HTTPVersion: String, CaseIterable {
    /// HTTP/1.1 without TLS.
    case http1
    #if os(macOS) || os(Linux)
    /// HTTP/2 over TLS, which a separate process terminates.
    case http2
    #endif

    /// Runs a closure with the URLs for this version of servers that speak HTTP/1.1.
    func run<Output>(
        before servers: [URL], while body: ([URL]) async throws -> Output
    ) async throws -> Output {
        switch self {
        case .http1: try await body(servers)
        #if os(macOS) || os(Linux)
        case .http2: try await TLSServer.run(over: self, before: servers, while: body)
        #endif
        }
    }

    /// Runs a closure with the URL for this version of a server that speaks HTTP/1.1.
    func run<Output>(
        before server: URL, while body: (URL) async throws -> Output
    ) async throws -> Output {
        try await run(before: [server]) { try await body(#require($0.first)) }
    }
}
