import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct APIRequestTests {
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
        #expect(try Request<Dog?>().parseResponse(data: Data(" \r\n\t".utf8)) == nil)
        #expect(try Request<Dog?>().parseResponse(data: Data("null".utf8)) == nil)
    }

    @Test func bodyIsDecodedForOptionalOutput() throws {
        let dog = try Request<Dog?>().parseResponse(data: Data(#"{"id":7,"name":"Rex"}"#.utf8))

        #expect(dog == Dog(id: 7, name: "Rex"))
    }

    @Test func malformedBodyThrowsForOptionalOutput() {
        #expect(throws: DecodingError.self) {
            try Request<Dog?>().parseResponse(data: Data(" x".utf8))
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

    /// Parses a text, as a client does for a response with a charset.
    private func text(of bytes: [UInt8], in charset: String?) throws -> String {
        let type = charset.map { ["Content-Type": "text/plain; charset=\($0)"] }
        return try EchoRequest().parseResponse(
            APIResponse(value: Data(bytes), http: .make(headers: type ?? [:])))
    }

    @Test(
        arguments: [
            ([0x63, 0xE9], "iso-8859-1", "cé"), ([0x80, 0x9F], "ISO-8859-1", "€Ÿ"),
            ([0x93, 0xFF, 0x94], "\"windows-1252\"", "“ÿ”"), ([0x63, 0xE9], "us-ascii", "cé"),
            ([0xC3, 0xA9], "iso-8859-1", "é"), ([0xC3, 0xA9], "shift_jis", "é"),
            ([0x93, 0xFA], "Shift_JIS", "日"), ([0xE8], "windows-1250", "č"),
            ([0xC3, 0xA9], nil, "é"),
            ([0xE9, 0, 0x3D, 0xD8, 0x15, 0xDC], "utf-16le", "é🐕"), ([0x68, 0], "UTF-16LE", "h"),
            ([0, 0x68], "utf-16be", "h"), ([0x68, 0], "utf-16", "h"),
            ([0xFE, 0xFF, 0, 0x68], "utf-16", "h"), ([0xFF, 0xFE, 0x68, 0], "utf-16", "h"),
            ([0xFE, 0xFF, 0, 0x68], nil, "h"), ([], "utf-16", ""),
        ] as [([UInt8], String?, String)])
    func textIsDecodedByTheCharsetOfTheResponse(
        bytes: [UInt8], charset: String?, text: String
    ) throws {
        #expect(try self.text(of: bytes, in: charset) == text)
    }

    @Test(
        arguments: [
            ([0xE9], nil, "The body is not UTF-8 text."),
            ([0xE9], "utf-8", "The body is not UTF-8 text."),
            ([0x68], "utf-16", "The body is not UTF-16 text."),
            ([0xFF, 0xFE, 0x68], nil, "The body is not UTF-16 text."),
            ([0, 0xD8, 0x68, 0], "utf-16le", "The body is not UTF-16LE text."),
            ([0x80, 0x81], "latin1", "The body is not LATIN1 text."),
            ([0xB0, 0xA1], "euc-kr", "The body is text in the charset EUC-KR, which"),
        ] as [([UInt8], String?, String)])
    func textThatCannotBeDecodedIsAnError(
        bytes: [UInt8], charset: String?, text: String
    ) throws {
        let error = #expect(throws: DecodingError.self) {
            try self.text(of: bytes, in: charset)
        }

        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error)) is another error.")
            return
        }
        #expect(context.debugDescription.hasPrefix(text))
    }

    @Test func ownParserReceivesTheBytesOfAText() throws {
        struct HexRequest: APIRequest {
            func makeRequest(from _: Void) throws -> URLRequest { try URLRequest(.get, "/") }
            func parseResponse(data: Data) throws -> String { data.map { "\($0)" }.joined() }
        }
        let http = try HTTPURLResponse.make(headers: ["Content-Type": "a/b; charset=utf-16le"])

        let response = APIResponse(value: Data([0x68, 0]), http: http)

        #expect(try HexRequest().parseResponse(response) == "1040")
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
