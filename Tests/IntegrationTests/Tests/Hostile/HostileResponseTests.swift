import APIKit
import Foundation
import Testing

/// Any response from any server ends in a result or an error that says what is wrong.
@Suite(.timeLimit(.minutes(10))) struct HostileResponseTests {
    @Test(arguments: HostileResponse.all, HostileResponse.Way.allCases)
    func callEndsAsExpected(response: HostileResponse, way: HostileResponse.Way) async throws {
        let directory = try TemporaryDirectory()
        let expected = response.outcome(of: way)
        let limit: Duration = expected == .overdue ? .seconds(1) : .seconds(60)
        let session = URLSession.make()
        let client = APIClient(transport: session, interceptors: [Deadline(limit)])

        let (left, leave) = AsyncStream.makeStream(of: Never.self)
        try await RawServer.run(serving: { connection in
            defer { leave.finish() }
            try await response.serve(&connection)
        }) { server in
            let request = try server.request("/dogs", method: response.method)

            let outcome = await way.send(request, by: client, in: directory)

            #expect(expected.includes(outcome), "\(outcome)")
            // A call that gives up also ends its connection.
            if outcome == .overdue { for await _ in left {} }
            if case .body = outcome { return }
            let left = try directory.names
            #expect(left.isEmpty)
        }
        session.finishTasksAndInvalidate()
    }
}
