import APIKit
import Foundation
import Testing

@Suite struct DemoTransportTests {
    @Test func launchArgumentSelectsTheDemo() async throws {
        let client = try APIClient.app(arguments: ["App", "-demo"])

        #expect(try await client.load(PupsRequest(), with: "akita") == [Pup(id: 1, name: "Rex")])
        #expect(try APIClient.app(arguments: ["App"]).transport is URLSession)
    }

    @Test func requestWithoutAReplyFails() async throws {
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"), transport: DemoTransport())

        let error = await #expect(throws: APIError.self) {
            try await client.load(PupsRequest(), with: "akita")
        }

        #expect((error?.underlying as? URLError)?.code == .resourceUnavailable)
    }
}
