import APIKit
import APIKitTesting
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import Testing

/// A transport over a client that the program made.
extension HTTPClientTransportTests {
    @Test func clientOfTheProgramKeepsItsConnections() async throws {
        let count = Locked(0)
        let client = HTTPClient()
        try await LoopbackServer.run(serve: { connection in
            count.withLock { $0 += 1 }
            while true {
                _ = try connection.head()
                connection.write(.response(200, "done"))
            }
        }) { server in
            for _ in 0..<3 {
                let transport = HTTPClientTransport(client)
                #expect(try await transport.load(server.request("/dogs")).value == "done")
            }
            try await client.shutdown()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func clientOfTheProgramFollowsRedirectsItself() async throws {
        let client = HTTPClient()
        server.on(.get("/start"), reply: .redirect(to: "/dogs"))
        server.on(.get("/dogs"), reply: .text("done"))
        try await server.listening { url in
            let transport = HTTPClientTransport(client)

            let (_, response) = try await transport.send(url.request("/start"))
            let error = await #expect(throws: APIError.self) {
                try await transport.redirecting(.never).send(url.request("/start"))
            }

            #expect(response.url == url.appending(path: "dogs"))
            #expect(error.map { "\($0)" }?.contains("redirectConfiguration is .disallow") == true)
            try await client.shutdown()
        }
    }

    @Test func endlessRedirectsOfTheClientAreAnError() async throws {
        let client = HTTPClient()
        server.on(.get("/start"), reply: .redirect(to: "/start"))
        try await server.listening { url in
            let error = await #expect(throws: URLError.self) {
                try await HTTPClientTransport(client).send(url.request("/start"))
            }

            #expect(error?.code == .httpTooManyRedirects)
            try await client.shutdown()
        }
    }

    @Test func clientWithoutRedirectsUsesThePolicy() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(configuration: configuration)
        server.on(.get("/start"), reply: .redirect(to: "/dogs"))
        server.on(.get("/dogs"), reply: .text("done"))
        try await server.listening { url in
            let transport = HTTPClientTransport(client)
            let request = try url.request("/start")

            #expect(try await transport.load(request).value == "done")
            let (_, response) = try await transport.redirecting(.never).send(request)
            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            try await client.shutdown()
        }
    }

    @Test func clientWithoutDecompressionReturnsTheBodyAsReceived() async throws {
        let client = HTTPClient()
        // It begins as gzip does.
        let body = Data([0x1F, 0x8B, 0x08]) + Data("not gzip".utf8)
        server.on(.get("/dogs"), reply: .data(body).header("Content-Encoding", "gzip"))
        try await server.listening { url in
            let request = try url.request("/dogs")

            #expect(try await HTTPClientTransport(client).send(request).0 == body)
            await #expect(throws: URLError.self) { try await HTTPClientTransport().send(request) }
            try await client.shutdown()
        }
    }
}
