import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct IsolationTests {
    @Test func manyServersServeTheSameURLIndependently() async throws {
        let servers = (0..<(Stress.isFull ? 500 : 20)).map { number in
            MockServer { _ in .text("\(number)") }
        }
        let loads = Stress.isFull ? 20 : 5

        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, server) in servers.enumerated() {
                let session = server.session
                group.addTask {
                    var wrong = 0
                    for _ in 0..<loads where try await session.text("/same") != "\(number)" {
                        wrong += 1
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(wrong == 0)
        #expect(servers.allSatisfy { $0.requests.count == loads })
    }

    @Test func manyServersAreReleased() async throws {
        struct Weak { weak var server: MockServer? }
        var released: [Weak] = []
        for number in 0..<Stress.count(1_000) {
            let server = MockServer()
            server.on(.any, reply: .text("\(number)"))
            let session = server.session
            if number.isMultiple(of: 100) {
                #expect(try await session.text("/") == "\(number)")
            }
            released.append(Weak(server: server))
        }

        #expect(released.allSatisfy { $0.server == nil })
    }
}
