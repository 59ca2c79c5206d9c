import APIKit
import Foundation
import Testing

@Suite struct AnswerTests {
    @Test(arguments: [(200, "found"), (201, "made"), (204, "")])
    func returnsAnAcceptedAnswerWithItsBody(status: Int, body: String) async throws {
        try await LocalServer.run(answering: { _ in .text(body, status: status) }) { server in
            let response = try await URLSession.make().load(server.request("/dogs"))

            #expect(response.statusCode == status)
            #expect(response.value == body)
        }
    }

    @Test(arguments: [300, 304, 400, 404, 500, 503])
    func throwsARefusedStatusWithItsBody(status: Int) async throws {
        let body = status == 304 ? "" : "because"
        try await LocalServer.run(answering: { _ in .text(body, status: status) }) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make().load(server.request("/dogs"))
            }

            #expect(error?.kind == .status(status))
            #expect(error?.body == Data(body.utf8))
        }
    }

    @Test(arguments: [200, 404])
    func returnsAnyStatusOfASessionThatIsUsedDirectly(status: Int) async throws {
        try await LocalServer.run(answering: { _ in .text("hello", status: status) }) { server in
            let (data, response) = try await URLSession.make().send(server.request("/dogs"))

            #expect((response as? HTTPURLResponse)?.statusCode == status)
            #expect(data == Data("hello".utf8))
        }
    }

    @Test func returnsTheHeadersOfTheAnswer() async throws {
        let headers = ["X-Page": "2", "Content-Type": "text/plain; charset=utf-8"]
        try await LocalServer.run(answering: { _ in .text("", headers: headers) }) { server in
            let response = try await URLSession.make().load(server.request("/dogs"))

            #expect(response.http.value(forHTTPHeaderField: "x-page") == "2")
            #expect(response.http.mimeType == "text/plain")
        }
    }

    @Test func returnsTheHeadOfAHeadRequestWithoutABody() async throws {
        try await LocalServer.run(answering: { _ in
            .text("", headers: ["Content-Length": "42"])
        }) { server in
            let request = try server.request("/dogs", method: "HEAD")

            let response = try await URLSession.make().load(request)

            #expect(await server.requests.map(\.method) == ["HEAD"])
            #expect(response.http.value(forHTTPHeaderField: "Content-Length") == "42")
            #expect(response.value.isEmpty)
        }
    }

    @Test func returnsALargeBodyWhole() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 18)
        try await LocalServer.run(answering: { _ in .text(text) }) { server in
            let response = try await URLSession.make().load(server.request("/dogs"))

            #expect(response.value == text)
        }
    }

    @Test func answersEachOf500ParallelRequestsWithItsOwnAnswer() async throws {
        try await RawServer.run(replying: { head in
            .answer(200, "\(head.split(separator: " ")[1])")
        }) { server in
            let session = URLSession.make()
            let targets = (0..<500).map { "/dogs/\($0)" }

            let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
                for target in targets {
                    group.addTask {
                        (target, try await session.load(server.request(target)).value)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(answers == Dictionary(uniqueKeysWithValues: zip(targets, targets)))
        }
    }
}
