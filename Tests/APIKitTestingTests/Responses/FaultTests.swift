import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer, .inTurn, .timeLimit(.minutes(10))) struct FaultTests {
    private struct GetUser: APIRequest {
        typealias ResponseDataType = User

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "user") }
    }

    private static let faults = MockResponse.faults(of: .json(User(id: 1, name: "Ada")))

    private static let outcomes = [
        "no connection": "transport: -1009", "a lost connection": "transport: -1005",
        "a timeout": "transport: -1001", "401": "status 401", "403": "status 403",
        "404": "status 404", "429 with Retry-After": "status 429", "500": "status 500",
        "503 with Retry-After": "status 503", "an empty body": "decoding",
        "half a body": "transport: -1005", "malformed JSON": "decoding",
        "an HTML page": "decoding", "members of another kind": "decoding",
        "a redirect to itself": "transport: -1007", "a slow body": "Ada",
    ]

    @Test(arguments: faults)
    func faultReachesAClientInVirtualTime(fault: MockResponse.Fault) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/user"), reply: fault.reply, times: .anyNumber)
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com"), transport: server.session)
        let time = Task { while !Task.isCancelled { await clock.advanceToNextDeadline() } }
        defer { time.cancel() }

        let outcome: String
        do {
            outcome = try await client.load(GetUser()).name
        } catch let error as APIError {
            outcome =
                switch error.kind {
                case .status(let status): "status \(status)"
                case .decoding: "decoding"
                default:
                    "transport: \((error.underlying as? URLError)?.errorCode.description ?? "?")"
                }
        }

        #expect(outcome == Self.outcomes[fault.description])
    }

    @Test func faultsHaveNames() {
        #expect(Set(Self.faults.map { "\($0)" }) == Set(Self.outcomes.keys))
    }

    @Test func faultsNeedABodyInJSON() async throws {
        let server = MockServer.current
        let fault = try #require(MockResponse.faults(of: .text("a")).first)
        server.on(.any, reply: fault.reply, times: .anyNumber)

        let failures = try await server.failuresOfVerification()

        #expect(failures.map { $0.contains("a response with a body in JSON") } == [true])
    }
}
