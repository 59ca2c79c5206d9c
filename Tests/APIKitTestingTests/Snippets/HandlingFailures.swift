import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct AdoptionTests {
    let server = MockServer.current

    var client: APIClient {
        APIClient(baseURL: URL(string: "https://api.example.com/v1"), transport: server.session)
    }

    // snippet.problem
    @Test func throwsTheProblemOfARefusal() async {
        server.on(
            .post("/v1/dogs/7/adoptions"),
            reply: .json(["title": "You do not have enough credit."], status: 403)
                .header("Content-Type", "application/problem+json"))

        let error = await #expect(throws: APIError.self) {
            try await client.load(AdoptDog(), with: 7)
        }

        #expect(error?.problem?.title == "You do not have enough credit.")
    }
    // snippet.end
}

private struct AdoptDog: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(.post, "dogs/\(id)/adoptions")
    }
}
