import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    /// The rows whose allocations `.ci/costs` compares with the file `allocations`.
    ///
    /// The cost of a row is what the subject allocates beyond the baseline.
    public static let costs =
        [
            Comparison(.bareLoad, to: .nothing),
            Comparison(.load, to: .bareLoad),
            Comparison(.load(from: .session), to: .bareLoad),
            Comparison(.decoding, to: .nothing),
            Comparison(.load(from: .server), to: .decoding),
            Comparison(.load(from: .instant), to: .decoding),
            Comparison(.load(from: .canned), to: .decoding),
            Comparison(.portRequest, to: .nothing),
            Comparison(.minimalReply, to: .nothing),
            Comparison(.reply, to: .minimalReply),
            Comparison(.responder, to: .minimalReply),
            Comparison(.classicHandler, to: .minimalReply),
            Comparison(.smallUpload, to: .minimalReply),
            Comparison(.shortStream, to: .bareShortStream),
            Comparison(.stream(chunks: 1), to: .nothing),
            Comparison(.stream(chunks: 1_000), to: .stream(chunks: 1)),
            Comparison(.events(1), to: .nothing),
            Comparison(.events(1_000), to: .events(1)),
            Comparison(.lines(1), to: .nothing),
            Comparison(.lines(1_000), to: .lines(1)),
            Comparison(.route(of: 1), to: .nothing),
            Comparison(.route(of: 1_000), to: .route(of: 1)),
            Comparison(.miss, to: .nothing),
            Comparison(.unchanged, to: .nothing),
            Comparison(.making, to: .nothing),
            Comparison(.making("a route") { $0.on(.get("/shops/{id}")) }, to: .making),
            Comparison(
                .making("a route for a request type") {
                    $0.on(.request(PointsOfInterestRequest(), with: .sanJose))
                }, to: .making),
            Comparison(
                .making("a route for a JSON member") {
                    $0.on(.any.json(at: "shop.items[0].name", "dog"))
                }, to: .making),
            Comparison(.queryItems, to: .nothing),
            Comparison(.verifying, to: .nothing),
            Comparison(.loadingRecording, to: .making),
            Comparison(.textOfError, to: .nothing),
            Comparison(.replay, to: .nothing),
            Comparison(.curlCommand, to: .nothing),
            Comparison(Workload.calls[0], to: .nothing),
        ] + Workload.calls.dropFirst().map { Comparison($0, to: Workload.calls[0]) }
}

/// Where a load of ten points of interest gets its response.
private enum Source: String {
    case session = "a session of a MockServer"
    case server = "a MockServer as the transport"
    case instant = "a transport that returns at once"
    case canned = "a CannedTransport"
}

extension Workload {
    fileprivate static let nothing = Workload("nothing") { return {} }

    fileprivate static func load(from source: Source) -> Workload {
        Workload("client.load from \(source.rawValue)") {
            let server = MockServer()
            server.on(.get("/v1/locations"), reply: .json(PointOfInterest.ten))
            let transport: any HTTPTransport =
                switch source {
                case .session: server.makeSession(configuration: .bare())
                case .server: server
                case .instant: try InstantTransport([MinimalURLProtocol.body])
                case .canned:
                    CannedTransport().reply(
                        to: PointsOfInterestRequest(), with: .sanJose, .json(PointOfInterest.ten))
                }
            let client = APIClient(baseURL: PointsOfInterestRequest.baseURL, transport: transport)
            return run(keeping: server) {
                let points = try await client.load(PointsOfInterestRequest(), with: .sanJose)
                try WrongResult.unless(points.count == 10)
            }
        }
    }

    // Without a session, because what it allocates depends on the bytes that arrive together.
    fileprivate static let portRequest = Workload("a request to a port of a MockServer") {
        let server = MockServer()
        server.on(.get("/v1/locations"), reply: .json(PointOfInterest.ten))
        let port = try await server.listen()
        let socket = LoopbackSocket.connection(to: UInt16(port.url.port ?? 0))
        let size = try JSONEncoder().encode(PointOfInterest.ten).count
        return run(keeping: (server, port)) {
            let connection = LoopbackConnection(socket)
            connection.write("GET /v1/locations HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n")
            try WrongResult.unless(try connection.head().contains("Content-Length: \(size)"))
            try connection.skip(size)
        }
    }

    fileprivate static let decoding = Workload("JSONDecoder, ten points of interest") {
        return {
            let points = try JSONDecoder().decode(
                [PointOfInterest].self, from: MinimalURLProtocol.body)
            try WrongResult.unless(points.count == 10)
        }
    }

    fileprivate static let smallUpload = Workload("client.upload of 1 KB") {
        let client = APIClient(
            baseURL: PointsOfInterestRequest.baseURL,
            transport: URLSession.bare(MinimalURLProtocol.self))
        let body = Data(count: 1_000)
        return {
            let data = try await client.upload(
                BytesRequest(method: .put), with: 1_000, from: .data(body))
            try WrongResult.unless(data.count == MinimalURLProtocol.body.count)
        }
    }

    fileprivate static func stream(chunks count: Int) -> Workload {
        Workload("client.stream, chunks of a transport: \(count)", count: count) {
            let transport = try InstantTransport(Array(repeating: Data("words".utf8), count: count))
            let client = APIClient(baseURL: PointsOfInterestRequest.baseURL, transport: transport)
            return {
                let body = try await client.stream(PointsOfInterestRequest(), with: .sanJose).value
                try WrongResult.unless(try await body.byteCount == 5 * count)
            }
        }
    }

    fileprivate static func events(_ count: Int) -> Workload {
        let text = String(repeating: "event: delta\ndata: the next few words\n\n", count: count)
        return Workload("ByteStream.events: \(count)", count: count) {
            return {
                var events = 0
                for try await _ in ByteStream(Data(text.utf8)).events { events += 1 }
                try WrongResult.unless(events == count)
            }
        }
    }

    fileprivate static func lines(_ count: Int) -> Workload {
        let text = String(repeating: "the next few words\n", count: count)
        return Workload("ByteStream.lines: \(count)", count: count) {
            return {
                var lines = 0
                for try await _ in ByteStream(Data(text.utf8)).lines { lines += 1 }
                try WrongResult.unless(lines == count)
            }
        }
    }

    fileprivate static func route(of count: Int) -> Workload {
        Workload("MockServer.send, routes: \(count)") {
            let server = MockServer()
            server.addShops(count)
            let shop = count / 2
            let request = try URLRequest(to: "https://api.example.com/shops/\(shop)/items/7")
            return {
                try WrongResult.unless(
                    try await server.responds(to: request, with: "\(shop)"))
            }
        }
    }

    fileprivate static let miss = Workload("MockServer.send, a miss") {
        let server = MockServer()
        server.addShops(1)
        let request = try URLRequest(to: "https://api.example.com/shop/7")
        return {
            do {
                _ = try await server.send(request)
                throw WrongResult()
            } catch is UnhandledRequestError {}
        }
    }

    /// A request that names the version of a resource.
    fileprivate static let unchanged = Workload("MockServer.send, a resource with status 304") {
        let server = MockServer()
        server.on(.get(), reply: .resource(.text("dogs").header("ETag", #""v2""#)))
        var request = try URLRequest(to: "https://api.example.com/dogs")
        request.setValue(#"W/"v1", "v2""#, forHTTPHeaderField: "If-None-Match")
        return { [request] in
            let (_, response) = try await server.send(request)
            try WrongResult.unless((response as? HTTPURLResponse)?.statusCode == 304)
        }
    }

    fileprivate static let making = making("a server") { _ in }

    /// Makes a server with what a test sets up before its first request.
    fileprivate static func making(
        _ name: String, _ prepare: @escaping @Sendable (MockServer) -> Void
    ) -> Workload {
        Workload("making \(name)") { return { prepare(MockServer()) } }
    }

    fileprivate static let queryItems = Workload("RecordedRequest.queryItems, ten, one escaped") {
        let query = (0..<9).map { "name\($0)=value" }.joined(separator: "&")
        let server = try await MockServer.receiving(query + "&city=San%20Jos%C3%A9")
        return {
            let items = server.requests[0].queryItems
            try WrongResult.unless(items.count == 10 && items[9].value == "San José")
        }
    }

    fileprivate static let verifying = Workload("MockServer.verify, ten requests") {
        let server = try await MockServer.receiving("page=7", count: 10)
        return { server.verify(.get("/dogs").query("page", 7), times: 10) }
    }

    fileprivate static let loadingRecording = Workload("MockServer.replay and a request") {
        let folder = try CassetteFolder(["items"])
        let request = try URLRequest(to: "https://api.example.com/items")
        return run(keeping: folder) {
            let server = MockServer()
            server.replay(folder.cassette)
            try WrongResult.unless(try await server.responds(to: request, with: "0"))
        }
    }

    fileprivate static let textOfError = Workload("the text of an APIError") {
        let client = APIClient(
            baseURL: PointsOfInterestRequest.baseURL,
            transport: try InstantTransport([Data("[1}".utf8)]))
        do {
            _ = try await client.load(PointsOfInterestRequest(), with: .sanJose)
            throw WrongResult()
        } catch let error as APIError {
            return { try WrongResult.unless("\(error)".contains("locations")) }
        }
    }

    fileprivate static let replay = Workload("MockServer.send, replaying an entry") {
        let folder = try CassetteFolder(["items"])
        let server = MockServer()
        server.replay(folder.cassette)
        let request = try URLRequest(to: "https://api.example.com/items")
        return run(keeping: folder) {
            try WrongResult.unless(try await server.responds(to: request, with: "0"))
        }
    }

    fileprivate static let curlCommand = Workload("curlCommand, with two secrets") {
        var request = try URLRequest(to: "https://api.example.com/dogs?access_token=0123456789")
        request.setValue("Bearer 0123456789abcdef", forHTTPHeaderField: "Authorization")
        return { [request] in
            try WrongResult.unless(!request.curlCommand().contains("0123456789"))
        }
    }
}

extension MockServer {
    /// Returns a server that has received requests with a query.
    fileprivate static func receiving(_ query: String, count: Int = 1) async throws -> MockServer {
        let server = MockServer()
        server.on(.any)
        for _ in 0..<count {
            _ = try await server.send(URLRequest(to: "https://api.example.com/dogs?\(query)"))
        }
        return server
    }
}

/// A transport that responds at once, with chunks and a head that it makes only once.
private struct InstantTransport: HTTPTransport {
    private let chunks: [Data]
    private let head: HTTPURLResponse

    init(_ chunks: [Data]) throws {
        guard let url = PointsOfInterestRequest.baseURL,
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"])
        else { throw WrongResult() }
        (self.chunks, self.head) = (chunks, head)
    }

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) { (chunks[0], head) }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        (ByteStream(chunks.stream), head)
    }
}
