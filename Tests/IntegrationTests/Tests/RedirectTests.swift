import APIKit
import Foundation
import Testing

@Suite struct RedirectTests {
    /// Answers `/start` with a redirect, and anything else with the method and the body it got.
    private func redirecting(
        _ status: Int = 302, to location: String, headers: [String: String] = [:]
    ) -> LocalServer.Answer {
        { request in
            request.path == "/deep/start"
                ? .redirect(status, to: location, headers: headers)
                : .text("\(request.method) \(request.text)")
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD", "DELETE"])
    func keepsTheMethod(status: Int, method: String) async throws {
        try await LocalServer.run(answering: { request in
            request.path == "/start" ? .redirect(status, to: "/end") : .text("")
        }) { server in
            let request = try server.request("/start", method: method)

            _ = try await URLSession.make().load(request)

            let kept = status == 303 && method == "DELETE" ? "GET" : method
            #expect(await server.requests.map(\.method) == [method, kept])
            #expect(await server.requests.map(\.path) == ["/start", "/end"])
        }
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
        (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"),
        (307, "PUT", "PUT"), (308, "PUT", "PUT"),
    ])
    func keepsTheBodyWithTheMethod(status: Int, method: String, next: String) async throws {
        try await LocalServer.run(
            answering: redirecting(status, to: "/end")
        ) { server in
            let request = try server.request(
                "/deep/start", method: method, headers: ["Content-Type": "text/x-dog"],
                body: Data("Rex".utf8))

            let response = try await URLSession.make().load(request)

            let received = try #require(await server.requests.last)
            #expect(response.value == (next == "GET" ? "GET " : "\(next) Rex"))
            #expect(received.header("Content-Type") == (next == "GET" ? nil : "text/x-dog"))
            #expect(await server.requests.count == 2)
        }
    }

    @Test(arguments: [(303, 2), (307, 1)])
    func doesNotSendAStreamASecondTime(status: Int, count: Int) async throws {
        try await LocalServer.run(answering: redirecting(status, to: "/end")) { server in
            var request = try server.request("/deep/start", method: "POST")
            request.httpBodyStream = InputStream(data: Data("Rex".utf8))

            let (_, response) = try await URLSession.make().send(request)

            #expect((response as? HTTPURLResponse)?.statusCode == (count == 2 ? 200 : status))
            #expect(await server.requests.map(\.text) == Array(["Rex", ""].prefix(count)))
        }
    }

    @Test(arguments: [
        ("next", "/deep/next"), ("/abs", "/abs"), ("../up", "/up"), ("?q=1", "/deep/start?q=1"),
        ("./", "/deep/"), ("next?a=%20b+c", "/deep/next?a=%20b+c"), ("/a%2Fb", "/a%2Fb"),
    ])
    func resolvesARelativeLocation(location: String, target: String) async throws {
        try await LocalServer.run(answering: { request in
            request.target == "/deep/start" ? .redirect(to: location) : .text("there")
        }) { server in
            let response = try await URLSession.make().load(server.request("/deep/start"))

            #expect(await server.requests.map(\.target) == ["/deep/start", target])
            #expect(response.http.url == (try server.url(target)))
        }
    }

    @Test func resolvesALocationWithoutAScheme() async throws {
        try await LocalServer.run(answering: { _ in .text("there") }) { other in
            let location = "//\(try #require(other.baseURL.authority))/next"
            try await LocalServer.run(answering: redirecting(to: location)) { server in
                let response = try await URLSession.make().load(server.request("/deep/start"))

                #expect(response.value == "there")
                #expect(await other.requests.map(\.target) == ["/next"])
            }
        }
    }

    @Test func keepsTheFragmentOfTheLocationToItself() async throws {
        try await LocalServer.run(answering: redirecting(to: "/end#bone")) { server in
            let response = try await URLSession.make().load(server.request("/deep/start"))

            #expect(await server.requests.map(\.target) == ["/deep/start", "/end"])
            #expect(response.http.url?.fragment == "bone")
        }
    }

    @Test func sendsACookieThatTheRedirectSet() async throws {
        let cookie = ["Set-Cookie": "dog=Rex; Path=/"]
        try await LocalServer.run(answering: redirecting(to: "/end", headers: cookie)) { server in
            _ = try await URLSession.make().load(server.request("/deep/start"))

            let cookies = await server.requests.map { $0.header("Cookie") }
            #expect(cookies == [nil, "dog=Rex"])
        }
    }

    @Test func givesUpAfter16Redirects() async throws {
        try await LocalServer.run(answering: { _ in .redirect(to: "/again") }) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/start"))
            }

            #expect(error?.kind == .transport)
            #expect((error?.underlying as? URLError)?.code == .httpTooManyRedirects)
            #expect(await server.requests.count == 17)
        }
    }

    @Test func follows16Redirects() async throws {
        try await LocalServer.run(answering: { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 16 ? .text("there") : .redirect(to: "/\(number + 1)")
        }) { server in
            let response = try await URLSession.make().load(server.request("/0"))

            #expect(response.value == "there")
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/dogs", "file:///etc/hostname", "mailto:rex@example.com"])
    func doesNotFollowARedirectOutOfHTTP(location: String) async throws {
        try await LocalServer.run(answering: redirecting(to: location)) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/deep/start"))
            }

            #expect(error?.kind == .status(302))
            #expect(error?.body == Data("moved".utf8))
            #expect(error?.response?.value(forHTTPHeaderField: "Location") == location)
        }
    }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308])
    func returnsAnAnswerThatNamesNoLocation(status: Int) async throws {
        try await LocalServer.run(answering: { _ in .text("", status: status) }) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/start"))
            }

            #expect(error?.kind == .status(status))
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: [300, 304, 305])
    func doesNotFollowTheLocationOfAnotherStatus(status: Int) async throws {
        try await LocalServer.run(answering: redirecting(status, to: "/end")) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/deep/start"))
            }

            #expect(error?.kind == .status(status))
            #expect(await server.requests.count == 1)
        }
    }

    @Test func followsForASessionThatWasToldToFinishItsTasks() async throws {
        let session = URLSession.make()
        try await LocalServer.run(answering: { request in
            guard request.path == "/start" else { return .text("there") }
            session.finishTasksAndInvalidate()
            return .redirect(to: "/end")
        }) { server in
            let response = try await session.load(server.request("/start"))

            #expect(response.value == "there")
        }
    }
}
