import APIKit
import Foundation

/// Two servers, a transport that loads from them, and the requests that they received.
struct Site: Sendable {
    typealias Responder = @Sendable (ReceivedRequest) async throws -> Reply

    var transport: any HTTPTransport
    let baseURL: URL
    /// The URL of the second server, which is another origin.
    let other: URL
    let received: @Sendable () async -> [ReceivedRequest]

    /// The requests that both servers received, oldest first.
    var requests: [ReceivedRequest] { get async { await received() } }

    /// The methods and targets of the received requests.
    var lines: [String] { get async { await requests.map { "\($0.method) \($0.target)" } } }

    /// Returns a client of the first server.
    func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(baseURL: baseURL, transport: transport, interceptors: interceptors)
    }

    /// Loads from the first server.
    func load(
        _ target: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws -> APIResponse<String> {
        var request = try URLRequest(
            HTTPMethod(rawValue: method), APIPath(verbatim: target), headers: headers)
        // On a busy machine, hundreds of handshakes take longer than the default of one minute.
        request.timeoutInterval = 600
        return try await client().response(to: TextRequest(), with: request)
    }
}
