import APIKit
import Foundation

/// The real network, for requests that a test lets through.
final class Network: Sendable {
    /// The network for a mock server without a session.
    static let withoutCookies = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        return Network(configuration)
    }()

    private let configuration: URLSessionConfiguration
    private let session = Locked<URLSession?>(nil)

    /// Creates the network for the sessions of a configuration, and uses the same cookies.
    init(_ configuration: URLSessionConfiguration) {
        self.configuration = configuration
    }

    deinit {
        session.withLock { $0 }?.finishTasksAndInvalidate()
    }

    /// Sends a request, which contains the additional header fields of the configuration.
    ///
    /// - Returns: The response, which may be a redirect.
    func send(_ request: URLRequest) async throws -> (MockResponse.Content, HTTPURLResponse) {
        let session = session.withLock { session in
            let made = session ?? makeSession()
            session = made
            return made
        }
        var request = request
        if request.value(forHTTPHeaderField: "Transfer-Encoding") != nil {
            // The mock sets the field for a body stream, which it has already read. The system sends a
            // body in chunks only from a stream, and sets the field itself.
            request.setValue(nil, forHTTPHeaderField: "Transfer-Encoding")
            request.httpBodyStream = InputStream(data: request.httpBody ?? Data())
        }
        let (body, response) = try await session.redirecting(.never).stream(request)
        guard let head = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        guard head.omitsContent(for: request) else { return (.stream { body }, head) }
        // A client may cancel such a load at its head, so return the head only with the end.
        for try await _ in body {}
        return (.body(Data()), head)
    }

    private func makeSession() -> URLSession {
        let configuration = configuration.duplicate
        configuration.urlCache = nil
        // The session would add these headers again after a redirect to another origin.
        configuration.httpAdditionalHeaders = nil
        configuration.protocolClasses = configuration.protocolClasses?
            .filter { !($0 is MockURLProtocol.Type) }
        return URLSession(configuration: configuration)
    }
}
