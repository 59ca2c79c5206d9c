import APIKit
import Foundation
import Testing

extension ExchangeTests {
    @Test(arguments: Backend.allCases, [301, 302, 303, 307, 308])
    func followsWithTheMethodAndBodyOfTheStatus(backend: Backend, status: Int) async throws {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            try await backend.run(answering: { request in
                request.path == "/start"
                    ? .redirect(status, to: "/end") : .text("\(request.method) \(request.text)")
            }) { site in
                var request = URLRequest(url: site.baseURL.appending(path: "start"))
                request.httpMethod = method
                if method != "GET" {
                    request.httpBody = Data("Rex".utf8)
                    request.setValue("text/x-dog", forHTTPHeaderField: "Content-Type")
                }
                request.setValue("kept", forHTTPHeaderField: "X-Dog")

                let response = try await site.session.load(request)

                let isGet =
                    method == "GET" || status == 303 || (status < 303 && method == "POST")
                let last = try #require(await site.requests.last)
                #expect(response.value == (isGet ? "GET " : "\(method) Rex"))
                #expect(response.http.url == site.baseURL.appending(path: "end"))
                #expect(last.header("Content-Type") == (isGet ? nil : "text/x-dog"))
                #expect(last.header("X-Dog") == "kept")
                #expect(await site.requests.count == 2)
            }
        }
    }

    @Test(arguments: Backend.allCases, [true, false])
    func keepsCredentialsFromAnotherOrigin(backend: Backend, leaves: Bool) async throws {
        let origins = Origins()
        try await backend.run(answering: { request in
            request.path == "/start"
                ? .redirect(307, to: await origins.target(leaves: leaves)) : .text("there")
        }) { site in
            await origins.set(site.baseURL, site.other)

            let response = try await site.load(
                "/start",
                headers: ["Authorization": "Bearer x", "Cookie": "a=b", "X-Dog": "Rex"])

            let last = try #require(await site.requests.last)
            #expect(response.value == "there")
            #expect(
                response.http.url == (leaves ? site.other : site.baseURL).appending(path: "end"))
            #expect(last.header("Authorization") == (leaves ? nil : "Bearer x"))
            #expect(last.header("Cookie") == (leaves ? nil : "a=b"))
            #expect(last.header("X-Dog") == "Rex")
        }
    }

    @Test(
        arguments: Backend.allCases,
        [
            ("next", "/deep/next"), ("/abs", "/abs"), ("../up", "/up"), ("?q=1", "/deep/start?q=1"),
            ("./", "/deep/"), ("next?a=%20b+c", "/deep/next?a=%20b+c"), ("/a%2Fb", "/a%2Fb"),
            ("/end#bone", "/end"),
        ])
    func resolvesALocation(backend: Backend, place: (location: String, target: String)) async throws
    {
        try await backend.run(answering: { request in
            request.target == "/deep/start" ? .redirect(to: place.location) : .text("there")
        }) { site in
            let response = try await site.load("/deep/start")

            #expect(response.value == "there")
            #expect(await site.lines == ["GET /deep/start", "GET \(place.target)"])
        }
    }

    @Test(arguments: Backend.allCases)
    func redirectThatWouldSendAStreamAgainIsNotFollowed(backend: Backend) async throws {
        try await backend.run(answering: { _ in .redirect(307, to: "/end") }) { site in
            var request = URLRequest(url: site.baseURL)
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("Rex".utf8))

            let (_, response) = try await site.session.send(request)

            #expect((response as? HTTPURLResponse)?.statusCode == 307)
            #expect(await site.requests.map(\.text) == ["Rex"])
        }
    }

    @Test(arguments: Backend.allCases)
    func givesUpOnALoop(backend: Backend) async throws {
        try await backend.run(answering: { _ in .redirect(to: "/again") }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .transport)
            #expect((error?.underlying as? URLError)?.code == .httpTooManyRedirects)
            #expect(await site.requests.count == 17)
        }
    }

    @Test(arguments: Backend.allCases, ["ftp://127.0.0.1/dogs", "mailto:rex@example.com"])
    func givesARedirectOutOfHTTPAsItIs(backend: Backend, location: String) async throws {
        try await backend.run(answering: { _ in .redirect(to: location) }) { site in
            let error = await #expect(throws: APIError.self) { try await site.load("/start") }

            #expect(error?.kind == .status(302))
            #expect(error?.body == Data("moved".utf8))
            #expect(await site.requests.count == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func givesARedirectAsItIsToWhoeverFollowsNone(backend: Backend) async throws {
        try await backend.run(answering: { _ in .redirect(to: "/end") }) { site in
            let client = site.session.redirecting(.never)

            let (data, response) = try await client.send(URLRequest(url: site.baseURL))

            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            #expect(data == Data("moved".utf8))
            #expect(await site.requests.count == 1)
        }
    }
}

/// Where two servers are, which is known only when they run.
private actor Origins {
    private var targets: [Bool: URL] = [:]

    func set(_ own: URL, _ other: URL) { targets = [false: own, true: other] }

    func target(leaves: Bool) -> String { "\(targets[leaves]?.absoluteString ?? "")/end" }
}
