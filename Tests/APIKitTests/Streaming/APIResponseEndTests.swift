import APIKit
import Foundation
import Testing

struct APIResponseEndTests {
    private let errors = Locked<[(any Error)?]>([])

    @Test func streamedResponseEndsWithItsStream() async throws {
        let response = APIResponse(value: ByteStream(Data("body".utf8)), http: try .make())
        response.onEnd { error in errors.withLock { $0.append(error) } }
        #expect(errors.current.isEmpty)

        _ = try await response.value.data()

        #expect(errors.current.map { $0 == nil } == [true])
    }

    @Test func streamedResponseEndsWithTheErrorOfItsStream() throws {
        let response = APIResponse(value: ByteStream(Data("body".utf8)), http: try .make())
        response.onEnd { error in errors.withLock { $0.append(error) } }

        response.value.cancel(throwing: Refusal())

        #expect(errors.current.map { $0 is Refusal } == [true])
    }

    @Test func onEndOfResponseWithoutStreamIsCalledAtOnce() throws {
        let response = APIResponse(value: Data("body".utf8), http: try .make())

        response.onEnd { error in errors.withLock { $0.append(error) } }

        #expect(errors.current.map { $0 == nil } == [true])
    }
}
