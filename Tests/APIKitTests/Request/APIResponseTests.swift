import APIKit
import Foundation
import Testing

@Suite struct APIResponseTests {
    @Test func mapKeepsHead() throws {
        let response = APIResponse(value: "hello", http: try .make(201))

        let count = response.map(\.count)

        #expect(count.value == 5)
        #expect(count.http === response.http)
    }

    @Test func mapThrowsErrorOfTransform() throws {
        let response = APIResponse(value: "hello", http: try .make())

        #expect(throws: Refusal()) { try response.map { _ -> Int in throw Refusal() } }
    }
}
