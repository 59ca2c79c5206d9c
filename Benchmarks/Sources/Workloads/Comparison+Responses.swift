import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let responses = [
        Comparison(.reply, to: .minimalReply, aim: 1.25),
        Comparison(.responder, to: .minimalReply, aim: 1.6),
        Comparison(.classicHandler, to: .minimalReply, aim: 1.15),
        Comparison(.replyWithoutSession, to: .minimalReply),
    ]
}

extension Workload {
    static let minimalReply = Workload("a data task, a minimal URLProtocol") {
        try bareRun(in: .bare(MinimalURLProtocol.self))
    }

    static let reply = Workload("a data task, MockServer with a reply") {
        let server = MockServer()
        server.on(.get("/v1/locations"), reply: .json(PointOfInterest.ten))
        return try bareRun(in: server.makeSession(configuration: .bare()), of: server)
    }

    static let responder = Workload("a data task, MockServer with a responder") {
        let server = MockServer()
        let reply = MockResponse.json(PointOfInterest.ten)
        server.on(.get("/v1/locations")) { _ in reply }
        return try bareRun(in: server.makeSession(configuration: .bare()), of: server)
    }

    static let classicHandler = Workload("a data task, MockURLProtocol") {
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(
                url: request.url ?? URL(filePath: "/"), statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: MinimalURLProtocol.headers)
            return (response ?? HTTPURLResponse(), MinimalURLProtocol.body)
        }
        return try bareRun(in: .bare(MockURLProtocol.self))
    }

    fileprivate static let replyWithoutSession = Workload("MockServer.send, without a session") {
        let server = MockServer()
        server.on(.get("/v1/locations"), reply: .json(PointOfInterest.ten))
        let request = try PointsOfInterestRequest.bareRequest(for: .sanJose)
        return {
            let (data, _) = try await server.send(request)
            try WrongResult.unless(data.count == MinimalURLProtocol.body.count)
        }
    }

    /// Loads the points of interest without decoding them.
    private static func bareRun(
        in session: URLSession, of server: MockServer? = nil
    ) throws -> Run {
        let request = try PointsOfInterestRequest.bareRequest(for: .sanJose)
        // A session does not retain its server.
        return run(keeping: server) {
            let (data, _) = try await session.bareData(for: request)
            try WrongResult.unless(data.count == MinimalURLProtocol.body.count)
        }
    }
}
