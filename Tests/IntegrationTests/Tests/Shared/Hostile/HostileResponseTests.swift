import APIKit
import Foundation
import Testing

/// Each call ends with a response or a specific error for any bytes that a server sends.
@Suite(.timeLimit(.minutes(10))) struct HostileResponseTests {
    @Test(arguments: HostileResponse.all, HostileResponse.Way.allCases)
    func callEndsAsExpected(response: HostileResponse, way: HostileResponse.Way) async throws {
        let directory = try TemporaryDirectory()
        let expected = response.outcome(of: way)
        let limit: Duration = expected == .overdue ? .milliseconds(200) : .seconds(60)
        let transport = TransportUnderTest.make()
        var client = APIClient(transport: transport, interceptors: [Deadline(limit)])
        client.maxBodyBytes = .max

        let (closing, isClosed) = AsyncStream.makeStream(of: Never.self)
        try await LoopbackServer.run(serve: { connection in
            defer { isClosed.finish() }
            try response.serve(connection)
        }) { server in
            let request = try server.request("/dogs", method: response.method)

            let outcome = await way.send(request, by: client, in: directory)

            let reason = HostileDifference.find(response.name)?.reason ?? ""
            #expect(expected.includes(outcome), "\(outcome) \(reason)")
            // A deadline also closes the connection.
            if outcome == .overdue { for await _ in closing {} }
            if case .body = outcome { return }
            let files = try directory.names
            #expect(files.isEmpty)
        }
        TransportUnderTest.close(transport)
    }

    @Test func eachDifferenceNamesAResponse() {
        let names = HostileDifference.all.values.joined().map(\.response)

        #expect(Set(names).subtracting(HostileResponse.all.map(\.name)) == [])
    }
}
