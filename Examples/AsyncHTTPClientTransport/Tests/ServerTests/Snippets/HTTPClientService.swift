import APIKit
import AsyncHTTPClient
import Logging
import ServiceLifecycle
import UnixSignals

// snippet.service
/// Shuts a client down when the service group ends.
struct HTTPClientService: Service {
    let client: HTTPClient

    func run() async throws {
        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            // Another service has failed.
        }
        try await client.shutdown()
    }
}
// snippet.end

func run(_ server: any Service, over httpClient: HTTPClient, logger: Logger)
    async throws
{
    // snippet.group
    // A group ends its services from last to first, so the client outlives the server.
    let group = ServiceGroup(
        services: [HTTPClientService(client: httpClient), server],
        gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
    // snippet.end
}
