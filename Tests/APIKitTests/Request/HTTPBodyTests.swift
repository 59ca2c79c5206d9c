import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct HTTPBodyTests {
    @Test func jsonBodyEncodesValue() throws {
        let request = try URLRequest(.post, "dogs", body: .json(Dog(id: 7, name: "Bärli")))

        let body = try #require(request.httpBody)
        #expect(try JSONDecoder().decode(Dog.self, from: body) == Dog(id: 7, name: "Bärli"))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func jsonBodyUsesGivenEncoder() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys

        let body = try HTTPBody.json(["favoriteToy": "ball", "age": "3"], encoder: encoder)
        let keyed = try HTTPBody.json(Toy(favoriteToy: "ball"), encoder: encoder)

        #expect(try text(of: body) == #"{"age":"3","favoriteToy":"ball"}"#)
        #expect(try text(of: keyed) == #"{"favorite_toy":"ball"}"#)
    }

    @Test func encoderErrorIsThrown() {
        #expect(throws: EncodingError.self) { try HTTPBody.json(Double.nan) }
    }

    @Test func formBodyIsEncodedAsInBrowsers() throws {
        let request = try URLRequest(
            .post, "dogs",
            body: .form([
                "name": "Bär & Li", "a+b": "1+1=2", "nick name": ["x", "y"], "none": nil,
                "percent": "%20",
            ]))

        #expect(
            request.httpBody.map { String(decoding: $0, as: UTF8.self) }
                == "name=B%C3%A4r+%26+Li&a%2Bb=1%2B1%3D2&nick+name=x&nick+name=y&percent=%2520")
        #expect(
            request.value(forHTTPHeaderField: "Content-Type")
                == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        (HTTPBody.data(Data([0, 255, 10, 13])), "application/octet-stream"),
        (.data(Data([0, 255, 10, 13]), contentType: "image/png"), "image/png"),
    ])
    func dataBodyKeepsBytesAndHasItsContentType(body: HTTPBody, type: String) throws {
        let request = try URLRequest(.put, "dogs/1/photo", body: body)

        #expect(request.httpBody == Data([0, 255, 10, 13]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
    }

    @Test func contentTypeWithLineBreakIsRefused() {
        expectError(
            .invalidRequest(
                "the value of its header Content-Type contains a control character")
        ) {
            try URLRequest(.put, "a", body: .data(Data(), contentType: "a/b\r\nX-Admin: 1"))
        }
    }

    private func text(of body: HTTPBody) throws -> String? {
        try URLRequest(.post, "dogs", body: body).httpBody
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

private struct Toy: Encodable {
    let favoriteToy: String
}
