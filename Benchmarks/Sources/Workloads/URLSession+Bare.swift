import APIKit
import Foundation

extension URLSession {
    /// Returns a session without a cache and cookies, and with a URL protocol if there is one.
    static func bare(_ urlProtocol: URLProtocol.Type? = nil) -> URLSession {
        URLSession(configuration: .bare(urlProtocol))
    }

    /// Loads a request without this package.
    ///
    /// It does not use the system's `data(for:)`, which can deadlock all sessions on Linux.
    func bareData(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            dataTask(with: request) { data, response, error in
                if let data, let response = response as? HTTPURLResponse {
                    continuation.resume(returning: (data, response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }.resume()
        }
    }

    /// Downloads the response to a request into a file, without this package.
    ///
    /// It flushes the file before the move, as `download` does, so that a power failure never leaves
    /// an incomplete file at the destination.
    func bareDownload(for request: URLRequest, to file: URL) async throws {
        try await withCheckedThrowingContinuation { continuation in
            downloadTask(with: request) { location, _, error in
                continuation.resume(
                    with: Result {
                        guard let location else { throw error ?? URLError(.badServerResponse) }
                        try FileHandle(forUpdating: location).synchronize()
                        try? FileManager.default.removeItem(at: file)
                        try FileManager.default.moveItem(at: location, to: file)
                    })
            }.resume()
        }
    }
}

extension URLSessionConfiguration {
    static func bare(_ urlProtocol: URLProtocol.Type? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        if let urlProtocol { configuration.protocolClasses = [urlProtocol] }
        return configuration
    }
}
