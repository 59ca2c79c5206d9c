import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct ArchiveTests {
    private struct Archive: Decodable {
        struct Log: Decodable { var entries: [Entry] }
        struct Entry: Decodable {
            var request: Request
            var response: Response
        }
        struct Request: Decodable {
            var method: String
            var url: String
            var postData: Text?
        }
        struct Response: Decodable {
            struct Field: Decodable { var name: String }

            var status: Int
            var headers: [Field]
            var content: Text
            var error: String?

            enum CodingKeys: String, CodingKey {
                case status, headers, content
                case error = "_error"
            }
        }
        struct Text: Decodable { var text: String? }

        var log: Log
    }

    let server = MockServer.current

    private func entries(of server: MockServer) throws -> [Archive.Entry] {
        try JSONDecoder().decode(Archive.self, from: server.har()).log.entries
    }

    @Test func archiveHasEachRequestWithItsResponse() async throws {
        server.on(.post("/users"), reply: .text("created", status: 201), times: 2)
        server.on(.get("/users/{id}")) { .text("user \($0.parameters["id"] ?? "")") }
        server.on(.get("/logo"), reply: .resource(.text("0123456789")))

        for client in [server, server.session] as [any HTTPTransport] {
            _ = try await client.send(.make("POST", "/users", body: Data("Ada".utf8)))
            _ = try await client.send(.make("GET", "/users/7"))
            _ = try await client.send(.make("GET", "/logo", headers: ["Range": "bytes=4-"]))
        }

        let entries = try entries(of: server)
        #expect(entries.map(\.request.method) == ["POST", "GET", "GET", "POST", "GET", "GET"])
        #expect(entries.map(\.request.url).prefix(2).last == "https://api.example.com/users/7")
        #expect(entries.map(\.request.postData?.text).contains("Ada"))
        #expect(entries.map(\.response.status) == [201, 200, 206, 201, 200, 206])
        let texts = entries.map(\.response.content.text)
        #expect(texts == ["created", "user 7", "456789", "created", "user 7", "456789"])
        #expect(entries.allSatisfy { $0.response.error == nil })
    }

    @Test func fieldsOfAResponseAreInTheOrderOfTheirNames() async throws {
        let names = ["X-B", "x-a", "X-F", "x-c", "X-E", "x-d"]
        let response = names.reduce(MockResponse.status(200)) { $0.header($1, "1") }
        server.on(.get("/"), reply: response)

        _ = try await server.send(.make("GET", "/"))

        let fields = try entries(of: server).first?.response.headers.map(\.name)
        #expect(fields?.map { $0.lowercased() } == names.map { $0.lowercased() }.sorted())
    }

    @Test func redirectIsAnEntry() async throws {
        server.on(.get("/old"), reply: .redirect(to: "/new"))
        server.on(.get("/new"), reply: .text("here"))

        for client in [server, server.session] as [any HTTPTransport] {
            #expect(try await client.text("/old") == "here")
        }

        let entries = try entries(of: server)
        #expect(entries.map(\.response.status) == [302, 200, 302, 200])
        #expect(entries.last?.response.content.text == "here")
    }

    @Test func archiveHasTheDeliveredPartOfAStream() async throws {
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("one ".utf8))
            continuation.yield(Data("two".utf8))
            continuation.finish(throwing: URLError(.networkConnectionLost))
        }
        server.on(.any, reply: .stream(chunks))

        _ = try? await server.session.data(for: .make())

        let response = try #require(try entries(of: server).first?.response)
        #expect(response.status == 200)
        #expect(response.content.text == "one two")
        #expect(response.error == "the connection was lost (URLError -1005)")
    }

    @Test func loadWithoutAResponseHasStatusZero() async throws {
        server.on(.get("/failing"), reply: .failure(.timedOut))
        server.on(.get("/pending"), reply: .never)
        server.on(.get("/canceled"), reply: .never)
        let server = server

        _ = try? await server.send(.make("GET", "/failing"))
        let canceled = Task { try await server.send(.make("GET", "/canceled")) }
        _ = try await server.nextRequest(.get("/canceled"))
        canceled.cancel()
        _ = await canceled.result
        let pending = Task { try await server.send(.make("GET", "/pending")) }
        _ = try await server.nextRequest(.get("/pending"))

        let responses = try entries(of: server).map(\.response)
        #expect(responses.map(\.status) == [0, 0, 0])
        #expect(
            responses.map(\.error) == [
                "the request timed out (URLError -1001)", "the load was canceled",
                "no response has arrived",
            ])
        pending.cancel()
        _ = await pending.result
    }

    @Test func unhandledRequestHasTheTextOfItsFailure() async throws {
        let server = MockServer()
        server.on(.get("/users"), reply: .status(204), times: .anyNumber)

        _ = try? await server.send(.make("GET", "/user"))

        let response = try #require(try entries(of: server).first?.response)
        #expect(response.status == 0)
        #expect(response.error?.hasPrefix("Unhandled request: GET") == true)
        #expect(try await server.failuresOfVerification().count == 1)
    }

    @Test func responseOfTheNetworkIsInTheArchive() async throws {
        let loopback = try LoopbackServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"
        }
        server.on(.any, reply: .passthrough)

        _ = try await server.session.data(for: .make("GET", "http://127.0.0.1:\(loopback.port)/"))

        #expect(try entries(of: server).map(\.response.content.text) == ["real"])
    }

    @Test func placeholdersReplaceSecrets() async throws {
        server.on(.post("/login"), reply: .json(["access_token": "q8Zt3kLw9Xv2Rb7Nc1Ym"]))
        server.on(.get("/users"), reply: .json(["ssn": "078-05-1120"]))

        _ = try await server.send(.make("POST", "/login"))
        _ = try await server.send(
            .make("GET", "/users", headers: ["Authorization": "Bearer q8Zt3kLw9Xv2Rb7Nc1Ym"]))

        let archive = String(
            decoding: try server.har(redacting: .secrets.adding(values: ["ssn"])), as: UTF8.self)
        #expect(!archive.contains("q8Zt3kLw9Xv2Rb7Nc1Ym"))
        #expect(!archive.contains("078-05-1120"))
        #expect(archive.contains("Bearer REDACTED0001"))
        #expect(archive.contains("REDACTED0002"))
        let whole = String(decoding: try server.har(redacting: .nothing), as: UTF8.self)
        #expect(whole.contains("q8Zt3kLw9Xv2Rb7Nc1Ym"))
    }

    @Test func archiveWithASecretInABinaryBodyIsRefused() async throws {
        let secret = "q8Zt3kLw9Xv2Rb7Nc1Ym"
        server.on(.any, reply: .data(Data([0xFF]) + Data(secret.utf8)))

        _ = try await server.send(
            .make("GET", "/", headers: ["Authorization": "Bearer \(secret)"]))

        let error = #expect(throws: TestFailure.self) { try server.har() }
        #expect(error?.message.hasPrefix("The archive of the requests would contain") == true)
        #expect(error?.message.contains(secret) == false)
    }

    @Test func archiveKeepsAStreamedBodyUpToALimit() {
        var response = RecordedResponse()
        let chunk = Data(count: RecordedResponse.bodyLimit / 2 + 1)

        response.add([.chunk(chunk), .chunk(chunk), .chunk(chunk), .finished])

        #expect(response.body.count == RecordedResponse.bodyLimit)
        let missing = 3 * chunk.count - response.body.count
        #expect(response.error == "\(missing) bytes of the body are not kept")
    }
}
