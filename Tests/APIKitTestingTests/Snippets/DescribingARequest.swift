import APIKit
import Foundation
import Testing

@Suite struct DescribingARequestTests {
    // snippet.test
    @Test func requestContainsTheBreed() throws {
        let request = try DogsRequest().makeRequest(from: "shiba & akita")

        #expect(
            request.url?.relativeString == "/dogs?breed=shiba%20%26%20akita")
    }

    @Test func responseContainsTheDogs() throws {
        let body = Data(#"[{"id": 1, "name": "Rex"}]"#.utf8)

        #expect(
            try DogsRequest().parseResponse(data: body) == [
                Dog(id: 1, name: "Rex")
            ])
    }
    // snippet.end
}
