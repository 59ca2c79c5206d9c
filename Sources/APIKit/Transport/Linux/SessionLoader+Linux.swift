import Foundation

#if canImport(FoundationNetworking) && !APIKIT_APPLE_LOADER

/// Loads requests in place of a session.
///
/// The system's own async functions are not used: they can block every session of the process when
/// a task is cancelled as it completes (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412).
struct SessionLoader {
    let session: URLSession
    let redirects: RedirectPolicy

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await load(request, nil)
    }

    func upload(_ request: URLRequest, _ upload: Upload) async throws -> (Data, URLResponse) {
        try await load(request, upload)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let load = Load(request, of: session, redirects: redirects, body: ChunkBuffer())
        let response = try await load.head()
        return (ByteStream(load), response)
    }

    private func load(
        _ request: URLRequest, _ upload: Upload?
    ) async throws -> (Data, URLResponse) {
        let body = ChunkBuffer(limit: .max)
        let load = Load(request, of: session, redirects: redirects, upload: upload, body: body)
        let response = try await load.end()
        return (body.takeAll(), response)
    }
}

#endif
