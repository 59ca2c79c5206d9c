import Foundation

/// A URL session with a say about redirects.
struct URLSessionTransport: HTTPClient {
    let session: URLSession
    let redirects: RedirectPolicy

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await DataTransfer(in: session, redirects: redirects).send(request)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await StreamTransfer(in: session, redirects: redirects).send(request)
    }
}
