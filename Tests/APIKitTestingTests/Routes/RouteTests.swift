import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RouteTests {
    let server = MockServer.current

    @Test func lastRegisteredRouteWinsInEveryFormOfPath() async throws {
        server.on(.path(matching: /.*/), reply: .text("0"), .text("0"))
        server.on(.get("/v1/dogs/{id}"), reply: .text("1"), times: .anyNumber)
        server.on(.get("**/dogs/*"), reply: .text("2"))
        server.on(.get("/v1/dogs/7"), reply: .text("3"), times: .once)
        server.on(.path(matching: /.*7/), reply: .text("4"), times: .once)

        let paths = ["/v1/dogs/7", "/v1/dogs/7", "/v1/dogs/7", "/v1/dogs", "/"]
        var texts: [String] = []
        for path in paths { texts.append(try await server.text(path)) }

        #expect(texts == ["4", "3", "2", "0", "0"])
    }

    @Test func lastReplyRepeats() async throws {
        server.on(.any, reply: .text("a"), .text("b"), .text("c"))

        var texts: [String] = []
        for _ in 0..<5 { texts.append(try await server.session.text("/")) }

        #expect(texts == ["a", "b", "c", "c", "c"])
    }

    @Test func concurrentRequestsRespectTheCount() async throws {
        server.on(.any, reply: .text("rest"))
        let once = server.on(.any, reply: .text("once"), times: .once)

        let session = server.session
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await session.text("/") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(texts.filter { $0 == "once" }.count == 1)
        #expect(once.requests.count == 1)
    }

    @Test func routeHoldsOnlyItsOwnRequests() async throws {
        let users = server.on(.get("/users"), reply: .status(200))
        server.on(.get("/posts"), reply: .status(200))

        _ = try await server.status(.make("GET", "/posts"))
        _ = try await server.status(.make("GET", "/users?page=1"))
        _ = try await server.status(.make("GET", "/users?page=2"))

        #expect(users.requests.map(\.url.query) == ["page=1", "page=2"])
        #expect("\(users.pattern)" == "GET /users")
    }

    @Test func removedRouteServesNoRequest() async throws {
        server.on(.any, reply: .status(404))
        let route = server.on(.get("/a"), reply: .status(200))
        let unused = server.on(.get("/b"), reply: .status(200))

        #expect(try await server.status(.make("GET", "/a")) == 200)
        route.remove()
        unused.remove()
        #expect(try await server.status(.make("GET", "/a")) == 404)
    }

    @Test(arguments: [1, Stress.count(3_000)])
    func routeIsFoundAmongMany(count: Int) async throws {
        for number in 0..<count {
            server.on(.get("/items/\(number)"), reply: .text("\(number)"), times: .anyNumber)
        }

        #expect(try await server.text("/items/\(count - 1)") == "\(count - 1)")
    }

    @Test(arguments: [
        (RequestPattern.post(), HTTPMethod.post, 1), (.patch("/a").query("b", .absent), .patch, 1),
        (.put(), .put, 3), (.get(), .get, 3), (.any, .post, 3), (.path("/a"), .patch, 3),
    ])
    func submitIsServedOnceUnlessItsTimesAllowMore(
        pattern: RequestPattern, method: HTTPMethod, count: Int
    ) async throws {
        let server = MockServer(unhandled: .reply(.status(404)))
        let request = URLRequest.make(method.rawValue, "/a")
        let route = server.on(pattern, reply: .status(201))
        for _ in 1...3 { _ = try await server.send(request) }

        #expect(route.requests.count == count)

        let repeated = server.on(pattern, times: .atLeast(1)) { _ in .status(201) }
        for _ in 1...3 { _ = try await server.send(request) }
        #expect(repeated.requests.count == 3)
    }
}
