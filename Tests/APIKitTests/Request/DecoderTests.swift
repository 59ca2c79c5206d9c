import APIKit
import APIKitTesting
import Foundation
import Testing

/// Request types that declare their decoder in different ways.
///
/// A property of a type that does not fit the requirement compiles, and would be ignored.
@Suite(.inTurn) struct DecoderTests {
    @Test(
        arguments: [
            ExistentialInType(), ConcreteInType(), OpaqueInType(), StoredInType(),
            ExistentialInProtocol(), ConcreteInProtocol(), OpaqueInProtocol(), RestatedInProtocol(),
            ConcreteInInheritedProtocol(), OtherThanInProtocol(),
        ] as [any SnakeRequest])
    fileprivate func declaredDecoderDecodes(request: any SnakeRequest) async throws {
        try await request.expectSnakeCase()
    }

    @Test func outputsWithoutDecoderAreParsed() throws {
        struct Text: ConcreteDecoder { typealias ResponseDataType = String }
        struct Body: ConcreteDecoder { typealias ResponseDataType = Data }
        struct Nothing: ConcreteDecoder { typealias ResponseDataType = Void }
        let data = Data("text".utf8)

        #expect(try Text().parseResponse(data: data) == "text")
        #expect(try Body().parseResponse(data: data) == data)
        try Nothing().parseResponse(data: data)
    }

    @Test func protocolUsesDecoderOfItsConformingType() throws {
        let response = APIResponse(value: Data(snake.utf8), http: try .make())

        let expected = SnakeError(isSnake: true)
        #expect(try ConcreteInType().parseError(response) as? SnakeError == expected)
        #expect(try ExistentialInType().parseError(response) as? SnakeError == expected)
        #expect(throws: DecodingError.self) { try NoDecoder().parseError(response) }
    }
}

private let snake = #"{"is_snake": true}"#

private struct Snake: Decodable, Equatable {
    let isSnake: Bool
}

private struct SnakeError: Error, Decodable, Equatable {
    let isSnake: Bool
}

private func snakeDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}

private protocol SnakeRequest: APIRequest<Void, Snake> {}

extension SnakeRequest {
    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "snake") }

    /// Expects that a response and a line of a stream are decoded by the decoder.
    fileprivate func expectSnakeCase() async throws {
        let body = Data(snake.utf8)
        #expect(try parseResponse(data: body) == Snake(isSnake: true))
        let request: any APIRequest = self
        #expect(try request.decoder.decode(Snake.self, from: body) == Snake(isSnake: true))

        let client = APIClient.make(transport: MockServer { _ in .text(snake) })
        #expect(try await client.load(self, with: ()) == Snake(isSnake: true))
        let stream = try await client.stream(self, with: ()).value
        for try await line in stream.jsonLines(of: Snake.self) {
            #expect(line == Snake(isSnake: true))
        }
    }
}

private struct ExistentialInType: RefusingRequest {
    var decoder: any ResponseDecoder { snakeDecoder() }
}

/// A protocol that does not know the type of the decoder.
private protocol RefusingRequest: SnakeRequest {}

extension RefusingRequest {
    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        try decoder.decode(SnakeError.self, from: response.value)
    }
}

private struct NoDecoder: RefusingRequest {}

private struct ConcreteInType: RefusingRequest {
    var decoder: JSONDecoder { snakeDecoder() }
}

private struct OpaqueInType: SnakeRequest {
    var decoder: some ResponseDecoder { snakeDecoder() }
}

private struct StoredInType: SnakeRequest {
    let decoder = snakeDecoder()
}

private protocol ExistentialDecoder: SnakeRequest {}
extension ExistentialDecoder { var decoder: any ResponseDecoder { snakeDecoder() } }
private struct ExistentialInProtocol: ExistentialDecoder {}

private protocol ConcreteDecoder: APIRequest {}
extension ConcreteDecoder {
    var decoder: JSONDecoder { snakeDecoder() }
    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "snake") }
}
private struct ConcreteInProtocol: SnakeRequest, ConcreteDecoder {
    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "snake") }
}

private protocol OpaqueDecoder: SnakeRequest {}
extension OpaqueDecoder { var decoder: some ResponseDecoder { snakeDecoder() } }
private struct OpaqueInProtocol: OpaqueDecoder {}

private protocol RestatedDecoder: SnakeRequest {
    var decoder: any ResponseDecoder { get }
}
extension RestatedDecoder { var decoder: any ResponseDecoder { snakeDecoder() } }
private struct RestatedInProtocol: RestatedDecoder {}

private protocol InheritedDecoder: ConcreteDecoder {}
private struct ConcreteInInheritedProtocol: SnakeRequest, InheritedDecoder {
    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "snake") }
}

private struct OtherThanInProtocol: ExistentialDecoder {
    var decoder: JSONDecoder { snakeDecoder() }
}
