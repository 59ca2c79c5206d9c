import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct ReplayedValueTests {
    let server = MockServer()

    private func entries(_ paths: String...) -> [RecordedExchange] {
        paths.enumerated().map { .make("GET", $1, reply: "\($0 + 1)") }
    }

    @Test func secretsOfAnExportedFileHaveOneValueEach() async throws {
        let form = ["Content-Type": "application/x-www-form-urlencoded"]
        let paths = ["/login": "password=hunter2", "/renew": "refresh_token=r9Zt3kLw9Xv2Rb7Nc1Ym"]
        server.replay(
            paths.sorted { $0.key < $1.key }.map {
                .make("POST", $0.key, headers: form, body: $0.value, reply: "ok")
            })

        for (path, body) in [("/login", "password=other"), ("/renew", "refresh_token=another1")] {
            let request = URLRequest.make("POST", path, headers: form, body: Data(body.utf8))
            #expect(try await server.status(request) == 200)
        }

        #expect(server.failures.isEmpty)
    }

    // MARK: Compressed bodies

    private func compressed(_ bytes: [UInt8], type: String = "application/json") -> RecordedExchange
    {
        RecordedExchange.make(
            "POST", "/", headers: ["Content-Type": type, "Content-Encoding": "gzip"]
        ).sending(body: Data([0x1F, 0x8B] + bytes))
    }

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded", "text/plain"])
    func compressedBodyIsComparedByteByByte(type: String) async throws {
        let entry = compressed([1, 2], type: type)
        func request(_ entry: RecordedExchange) -> URLRequest {
            var request = URLRequest.make("POST", "/", body: entry.request.body)
            for field in entry.request.fields {
                request.setValue(field.value, forHTTPHeaderField: field.name)
            }
            return request
        }
        server.replay([entry])

        await #expect(throws: UnhandledRequestError.self) {
            try await server.status(request(compressed([1, 3, 4], type: type)))
        }
        let plain = URLRequest.make("POST", "/", body: Data("{}".utf8))
        await #expect(throws: UnhandledRequestError.self) { try await server.status(plain) }
        #expect(try await server.status(request(entry)) == 200)

        let messages = server.failures.map(\.message)
        let place = "  - body in gzip, compared byte by byte: expected 4 bytes, got"
        #expect(messages.first?.contains("\(place) 5 bytes") == true)
        #expect(messages.last?.contains("\(place) nothing") == true)
        #expect(messages.last?.contains("  - json: expected nothing, got {}") == true)
    }

    // MARK: Values that change

    @Test(arguments: [
        (
            "id=8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90", "id=3f1c2b4d-1a2b-4c3d-8e9f-0a1b2c3d4e5f",
            true
        ),
        ("ts=1769860800", "ts=1769860801", true),
        ("day=2026-01-31", "day=2026-02-01", true),
        ("request=q8Zt3kLw9Xv2Rb7Nc1Ym", "request=Zt3kLw9Xv2Rb7Nc1Ymq8", true),
        ("label=release-2024", "label=release-2025", false),
        ("sort=created_at", "sort=updated_at", false),
    ])
    func missNamesIgnoringForValuesThatLookRandom(
        recorded: String, got: String, isVolatile: Bool
    ) async throws {
        server.replay(entries("/a?\(recorded)"))

        await #expect(throws: UnhandledRequestError.self) { try await server.text("/a?\(got)") }

        let message = try #require(server.failures.first?.message)
        #expect(message.contains("If these values change with each run") == isVolatile)
    }
}
