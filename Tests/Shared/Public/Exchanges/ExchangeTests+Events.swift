import APIKit
import APIKitTesting
import Foundation
import Testing

extension ExchangeTests {
    @Test(arguments: Backend.all())
    func eventSourceReconnectsWithTheLastEventID(backend: Backend) async throws {
        try await backend.run(respond: { request in
            switch request.header("Last-Event-ID") {
            case nil:
                .chunks([
                    "retry: 1\nid: 1\nda", "ta: one\n\n: comment\nevent: x\ndata: two\n\n",
                ]).header("Content-Type", "text/event-stream")
            case "1":
                .chunks(["id: 2\r\ndata: thr", "ee\r\n\r\n"])
                    .header("Content-Type", "text/event-stream")
            default: .text("", status: 204)
            }
        }) { site in
            let clock = ManualClock()
            let advances = Task {
                for _ in 0..<2 { await clock.advanceToNextDeadline(within: .seconds(600)) }
            }
            defer { advances.cancel() }
            var events: [ServerSentEvent] = []
            let source = site.client().reconnectingEvents(
                of: TextRequest(), with: try URLRequest(.get, "dogs"), clock: clock)
            for try await event in source { events.append(event) }

            #expect(events.map(\.data) == ["one", "two", "three"])
            #expect(events.map(\.type) == ["message", "x", "message"])
            #expect(await site.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "2"])
        }
    }
}
