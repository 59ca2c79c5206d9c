import Foundation

#if canImport(FoundationNetworking) && !APIKIT_APPLE_LOADER

// The system's own async functions can block every session of the process when a task is canceled
// as it completes (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412).
extension URLSessionTransport {
    /// Loads a request, and buffers the whole body in memory.
    func load(
        _ request: URLRequest, _ upload: Upload? = nil
    ) async throws -> (Data, URLResponse) {
        let load = Load(request, by: self, upload, body: ChunkBuffer(limit: .max))
        let response = try await load.run(until: load.endWaiter)
        return (load.body.takeAll(), response)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let load = Load(request, by: self, body: ChunkBuffer())
        let response = try await load.run(until: load.headWaiter)
        return (ByteStream(load), response)
    }
}

#endif
