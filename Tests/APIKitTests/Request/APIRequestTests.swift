import APIKit
import Foundation
import Testing

@Suite struct APIRequestTests {
    @Test func jsonIsDecoded() throws {
        let dog = try DogRequest().parseResponse(data: Data(#"{"id":7,"name":"Rex"}"#.utf8))

        #expect(dog == Dog(id: 7, name: "Rex"))
    }

    @Test(arguments: ["", "{}", "null", #"{"id":"7","name":"Rex"}"#])
    func undecodableBodyThrowsDecodingError(body: String) {
        #expect(throws: DecodingError.self) {
            try DogRequest().parseResponse(data: Data(body.utf8))
        }
    }

    @Test func emptyBodyIsNilForOptionalOutput() throws {
        #expect(try Request<Dog?>().parseResponse(data: Data()) == nil)
        #expect(try Request<[Dog]?>().parseResponse(data: Data()) == nil)
        #expect(try Request<Dog?>().parseResponse(data: Data("null".utf8)) == nil)
    }

    @Test func bodyIsDecodedForOptionalOutput() throws {
        let dog = try Request<Dog?>().parseResponse(data: Data(#"{"id":7,"name":"Rex"}"#.utf8))

        #expect(dog == Dog(id: 7, name: "Rex"))
    }

    @Test func malformedBodyThrowsForOptionalOutput() {
        #expect(throws: DecodingError.self) {
            try Request<Dog?>().parseResponse(data: Data(" ".utf8))
        }
    }

    @Test func dataIsNotDecoded() throws {
        let bytes = Data([0, 255, 1])

        #expect(try DataRequest().parseResponse(data: bytes) == bytes)
        #expect(try DataRequest().parseResponse(data: Data()) == Data())
    }

    @Test func stringIsNotDecoded() throws {
        #expect(try EchoRequest().parseResponse(data: Data("\"Bärli\" 🐕".utf8)) == "\"Bärli\" 🐕")
        #expect(try EchoRequest().parseResponse(data: Data()) == "")
    }

    @Test func invalidUTF8ThrowsDecodingError() throws {
        let error = #expect(throws: DecodingError.self) {
            try EchoRequest().parseResponse(data: Data([0x42, 0xE4, 0x72]))
        }

        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error)) is another error.")
            return
        }
        #expect(context.codingPath.isEmpty)
        #expect(context.debugDescription == "The body is not UTF-8 text.")
    }

    @Test(arguments: ["", "not JSON"])
    func bodyIsIgnoredForVoidOutput(body: String) throws {
        try VoidRequest().parseResponse(data: Data(body.utf8))
    }

    @Test func requestTypeCanSetDecoder() throws {
        let data = try PropertyListEncoder().encode(Dog(id: 7))

        #expect(try PropertyListDogRequest().parseResponse(data: data) == Dog(id: 7))
    }

    @Test func responseIsParsedByItsBody() throws {
        let response = APIResponse(value: Data("hello".utf8), http: try .make(500))

        #expect(try EchoRequest().parseResponse(response) == "hello")
    }

    @Test(arguments: [200, 201, 204, 299])
    func successIsAccepted(status: Int) throws {
        #expect(try EchoRequest().accepts(.make(status)))
    }

    @Test(arguments: [-1, 0, 100, 199, 300, 304, 400, 404, 500, 599, 999])
    func otherStatusIsNotAccepted(status: Int) throws {
        #expect(try !EchoRequest().accepts(.make(status)))
    }
}

private struct Request<Output: Decodable & Sendable>: APIRequest {
    typealias ResponseDataType = Output

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
}

private struct VoidRequest: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.delete, "dogs") }
}

private struct PropertyListDogRequest: APIRequest {
    typealias ResponseDataType = Dog

    var decoder: any ResponseDecoder { PropertyListDecoder() }

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
}
