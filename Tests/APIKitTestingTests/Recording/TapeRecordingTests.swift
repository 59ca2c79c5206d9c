import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a cassette records of the exchanges with a real server.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct TapeRecordingTests {
    private struct HeadRequest: APIRequest {
        typealias ResponseDataType = Data

        func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.head, "old") }
    }

    private let folder: RecordingFolder

    init() throws {
        folder = try RecordingFolder()
    }

    /// Makes a server that records.
    private func makeServer() throws -> MockServer {
        let server = MockServer()
        let cassette = folder.moved(Cassette("users", mode: .all))
        TestRun.$current.withValue(.local) { server.replay(cassette) }
        return server
    }

    private func value(_ name: String, in fields: [HeaderField]) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    @Test(arguments: [true, false])
    func entryHoldsTheRequestAndTheResponse(withSession: Bool) async throws {
        let real = try LoopbackServer { request in
            LoopbackServer.response(201, ["X-Real: 1"], body: "echo \(request.body)")
        }
        let server = try makeServer()
        let client: any HTTPTransport = withSession ? server.session : server
        let request = URLRequest.make(
            "POST", real.url("/users?page=2").absoluteString, headers: ["X-Sent": "1"],
            body: Data("body".utf8))
        let date = Date()
        let (data, response) = try await client.send(request)
        let entry = try #require(server.newEntries.first)

        #expect(String(decoding: data, as: UTF8.self) == "echo body")
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(server.newEntries.count == 1)
        #expect(entry.request.method == "POST")
        #expect(entry.request.url == real.url("/users?page=2"))
        #expect(entry.request.body == Data("body".utf8))
        #expect(value("X-Sent", in: entry.request.fields) == ["1"])
        #expect(value("Content-Length", in: entry.request.fields) == ["4"])
        #expect(entry.response.status == 201)
        #expect(entry.response.body == data)
        #expect(value("X-Real", in: entry.response.fields) == ["1"])
        #expect(value("Content-Length", in: entry.response.fields) == ["9"])
        #expect(value("Connection", in: entry.response.fields) == [])
        #expect(entry.response.arrivedAt == nil)
        #expect((date...Date()).contains(try #require(entry.startedAt)))
    }

    @Test func fieldsAndCookiesOfTheConfigurationAreRecorded() async throws {
        let expiring = "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/"
        let real = try LoopbackServer { _ in
            LoopbackServer.response(200, ["Set-Cookie: \(expiring)", "Set-Cookie: b=2; Path=/"])
        }
        let server = try makeServer()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-App": "demo"]
        let session = server.makeSession(configuration: configuration)
        for path in ["/1", "/2"] { _ = try await session.send(URLRequest(url: real.url(path))) }
        let entries = server.newEntries

        #expect(entries.map { value("X-App", in: $0.request.fields) } == [["demo"], ["demo"]])
        let (first, last) = (try #require(entries.first), try #require(entries.last))
        #expect(value("Set-Cookie", in: first.response.fields) == [expiring, "b=2; Path=/"])
        #expect(value("Cookie", in: first.request.fields) == [])
        let cookies = value("Cookie", in: last.request.fields).joined()
        #expect(Set(cookies.components(separatedBy: "; ")) == ["a=1", "b=2"])
        #expect(real.requests.last?.header("X-App") == "demo")
    }

    @Test(arguments: [true, false])
    func chunksArriveWhileTheyAreRecorded(withSession: Bool) async throws {
        let hasRead = DispatchSemaphore(value: 0)
        let real = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head() + "first")
            // The server sends the second chunk after the client has received the first one.
            hasRead.waitForSignal()
            connection.write("second")
        }
        let server = try makeServer()
        let client: any HTTPTransport = withSession ? server.session : server
        let (stream, _) = try await client.stream(URLRequest(url: real.url("/")))
        var text = ""
        for try await chunk in stream {
            if text.isEmpty {
                #expect(server.newEntries.isEmpty)
                hasRead.signal()
            }
            text += String(decoding: chunk, as: UTF8.self)
        }

        #expect(text == "firstsecond")
        #expect(server.newEntries.map(\.response.body) == [Data("firstsecond".utf8)])
    }

    @Test(arguments: [true, false])
    func eachRedirectHasAnEntry(withSession: Bool) async throws {
        let real = try LoopbackServer { request in
            let target = ["/1": "/2", "/2": "/3"][request.path]
            return LoopbackServer.response(
                target == nil ? 200 : 302, target.map { ["Location: \($0)"] } ?? [],
                body: target == nil ? "end" : "moved")
        }
        let server = try makeServer()
        let client: any HTTPTransport = withSession ? server.session : server
        _ = try await client.send(URLRequest(url: real.url("/1")))
        let entries = server.newEntries

        #expect(entries.map { $0.request.url.path } == ["/1", "/2", "/3"])
        #expect(entries.map(\.response.status) == [302, 302, 200])
        #expect(entries.map { value("Location", in: $0.response.fields) } == [["/2"], ["/3"], []])
        // The client never receives the body of a redirect that it follows.
        #expect(entries.map(\.response.body.count) == [0, 0, 3])
        #expect(value("Content-Length", in: try #require(entries.first).response.fields) == [])
    }

    @Test func redirectOfAFailedLoadLeavesNoEntry() async throws {
        let real = try LoopbackServer { request, connection in
            guard request.path == "/1" else { return }
            connection.write(LoopbackServer.response(302, ["Location: /2"]))
        }
        let server = try makeServer()

        await #expect(throws: (any Error).self) {
            try await server.send(URLRequest(url: real.url("/1")))
        }
        #expect(real.requests.map(\.path).starts(with: ["/1", "/2"]))
        #expect(server.newEntries.isEmpty)
    }

    @Test func redirectToARouteIsRecordedWithoutTheRoute() async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(302, ["Location: /mocked"]) }
        let server = try makeServer()
        server.on(.get("/mocked"), reply: .text("mocked"))
        let (data, _) = try await server.session.send(URLRequest(url: real.url("/1")))

        #expect(String(decoding: data, as: UTF8.self) == "mocked")
        #expect(server.newEntries.map(\.response.status) == [302])
    }

    @Test func responsesWithoutABodyAreRecorded() async throws {
        let real = try LoopbackServer { request in
            let status = Int(request.path.dropFirst()) ?? 200
            return LoopbackServer.head(status, status == 204 ? [] : ["Content-Length: 5"])
        }
        let server = try makeServer()
        for (method, path) in [("HEAD", "/200"), ("GET", "/204"), ("GET", "/304")] {
            _ = try await server.send(.make(method, real.url(path).absoluteString))
        }
        let responses = server.newEntries.map(\.response)

        #expect(responses.map(\.status) == [200, 204, 304])
        #expect(responses.map(\.body.count) == [0, 0, 0])
        #expect(responses.map { value("Content-Length", in: $0.fields) } == [["5"], [], ["5"]])
    }

    @Test(arguments: [true, false])
    func downloadWithoutContentIsRecorded(withSession: Bool) async throws {
        let real = try LoopbackServer { request in
            guard request.path != "/old" else {
                return LoopbackServer.response(302, ["Location: /file"])
            }
            return LoopbackServer.head(200, ["Content-Length: 5"])
        }
        let server = try makeServer()
        let folder = try TemporaryDirectory()
        let transport: any HTTPTransport = withSession ? server.session : server
        let client = APIClient(baseURL: real.url("/"), transport: transport)
        _ = try await client.download(HeadRequest(), to: folder.url("file"))

        #expect(server.newEntries.map(\.response.status) == [302, 200])
        #expect(try folder.names == [])
    }

    @Test func failedAndCanceledLoadsLeaveNoEntry() async throws {
        let real = try LoopbackServer { request, connection in
            if request.path == "/cut" {
                connection.write(LoopbackServer.head(200, ["Content-Length: 100"]) + "start")
            } else {
                connection.write(LoopbackServer.head() + "start")
                connection.skipToEnd()
            }
        }
        let server = try makeServer()

        await #expect(throws: (any Error).self) {
            try await server.session.send(URLRequest(url: real.url("/cut")))
        }
        let (stream, _) = try await server.session.stream(URLRequest(url: real.url("/endless")))
        for try await _ in stream { break }

        #expect(real.requests.count >= 2)
        #expect(server.newEntries.isEmpty)
    }

    @Test func routesTakePrecedenceAndAreNotRecorded() async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(200, body: "real") }
        let server = try makeServer()
        server.on(.get("/mocked"), reply: .text("mocked"))
        server.on(.get("/through"), reply: .passthrough)
        var texts: [String] = []
        for path in ["/real", "/mocked", "/through"] {
            let (data, _) = try await server.session.send(URLRequest(url: real.url(path)))
            texts.append(String(decoding: data, as: UTF8.self))
        }

        #expect(texts == ["real", "mocked", "real"])
        #expect(server.newEntries.map { $0.request.url.path } == ["/real"])
    }

    @Test func entriesAreInTheOrderOfTheRequests() async throws {
        let canEnd = DispatchSemaphore(value: 0)
        let real = try LoopbackServer { request, connection in
            if request.path == "/slow" { canEnd.waitForSignal() }
            connection.write(LoopbackServer.response(200))
        }
        let server = try makeServer()
        let slow = Task { _ = try await server.session.send(URLRequest(url: real.url("/slow"))) }
        _ = try await server.nextRequest(.get("/slow"))
        _ = try await server.session.send(URLRequest(url: real.url("/fast")))
        #expect(server.newEntries.count == 1)
        canEnd.signal()
        try await slow.value

        let paths = server.newEntries.map { $0.request.url.path }
        #expect(paths == ["/slow", "/fast"])
    }

    @Test func decodedBodyKeepsItsContentEncoding() async throws {
        let bytes = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8gAk+X5RTkpXACzLYg0EgAAAA=="))
        let real = try LoopbackServer { _, connection in
            let fields = ["Content-Encoding: gzip", "Content-Length: \(bytes.count)"]
            connection.write(Data(LoopbackServer.head(200, fields).utf8) + bytes)
        }
        let server = try makeServer()
        let data = try await server.session.send(URLRequest(url: real.url("/"))).0
        let response = try #require(server.newEntries.first?.response)

        #expect(response.body == data)
        #expect(value("Content-Encoding", in: response.fields) == ["gzip"])
        let length = value("Content-Length", in: response.fields)
        #expect(length == (data == bytes ? ["\(bytes.count)"] : []))
    }

    @Test func multipartBoundaryIsTheSameInEveryRecording() async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(200) }
        let server = try makeServer()
        for _ in 0..<2 {
            var request = try URLRequest(
                .post, "https://a.example/", body: .multipart(["name": .text("Ada")]))
            request.url = real.url("/")
            _ = try await server.send(request)
        }
        let requests = server.newEntries.map(\.request)

        #expect(requests.count == 2)
        let (first, last) = (try #require(requests.first), try #require(requests.last))
        #expect(first.body == last.body && first.fields == last.fields)
        let type = try #require(value("Content-Type", in: first.fields).first)
        let parts = RecordedRequest.Part.parts(of: first.body, contentType: type)
        #expect(parts.map(\.text) == ["Ada"])
        #expect(value("Content-Length", in: first.fields) == ["\(first.body.count)"])
    }
}
