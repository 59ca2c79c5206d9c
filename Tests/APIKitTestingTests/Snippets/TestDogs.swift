import APIKit
import APIKitTesting
import Foundation
import Testing

/// The first test of the README, with its request type.
enum Readme {
    struct DogsRequest: APIRequest {
        func makeRequest(from breed: String) throws -> URLRequest {
            try URLRequest(
                .get, "https://api.example.com/v1/dogs", query: ["breed": breed]
            )
        }

        func parseResponse(data: Data) throws -> [Dog] {
            try JSONDecoder().decode([Dog].self, from: data)
        }
    }

    // snippet.test
    @Suite(.mockServer) struct DogsTests {
        let server = MockServer.current

        @Test func loadsTheDogsOfABreed() async throws {
            let rex = Dog(id: 1, name: "Rex")
            server.on(
                .get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))
            let loader = APIRequestLoader(
                apiRequest: DogsRequest(), urlSession: server.session)

            #expect(try await loader.load("akita") == [rex])
        }
    }
    // snippet.end

    @Suite struct TimeTests {
        @Test func waitsForAnHour() async throws {
            let (clock, rex) = (ManualClock(), Dog(id: 1, name: "Rex"))
            let server = MockServer(clock: clock)
            let loader = APIRequestLoader(
                apiRequest: DogsRequest(), urlSession: server.session)
            // snippet.hour
            server.on(
                .get("/v1/dogs"), reply: .json([rex]).delayed(.seconds(3600)))
            async let dogs = loader.load("akita")
            await clock.advanceToNextDeadline()
            // snippet.end
            #expect(try await dogs == [rex])
        }
    }
}

/// The README shows the error of a real failure.
@Suite(.mockServer) struct ReadmeTests {
    let server = MockServer.current

    @Test func readmeShowsTheErrorOfTheTest() async throws {
        server.on(
            .get("/v1/dogs").query("breed", "boxer"), reply: .json([Dog]()))
        let loader = APIRequestLoader(
            apiRequest: Readme.DogsRequest(), urlSession: server.session)
        let error = await #expect(throws: APIError.self) {
            try await loader.load("akita")
        }
        withKnownIssue { server.verify() }

        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let text = "\(try #require(error))".replacing(
            #/\w+\.swift:\d+/#, with: "DogsTests.swift:11")
        #expect(page.contains(": Caught error: \(text)\n```\n"))
    }
}
