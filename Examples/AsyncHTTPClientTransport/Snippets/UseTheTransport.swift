// snippet.transport
import APIKit
import AsyncHTTPClientTransport
import Foundation

// One transport for all clients, because each has its own connections.
let transport = HTTPClientTransport()

func makeClient() -> APIClient {
    APIClient(
        baseURL: URL(string: "https://api.example.com/v1"), transport: transport
    )
}
// snippet.end
