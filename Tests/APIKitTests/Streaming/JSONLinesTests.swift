import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct JSONLinesTests {
    private let rex = #"{"id":1,"name":"Rex"}"#
    private let ida = #"{"id":2,"name":"Ida"}"#
    private let dogs = [Dog(id: 1, name: "Rex"), Dog(id: 2, name: "Ida")]

    @Test func eachLineHasOneValue() async throws {
        for text in [
            "\(rex)\n\(ida)\n", "\(rex)\r\n\(ida)", "\u{FEFF}\(rex)\r\(ida)\r",
            "\n\n\(rex)\n \t\r\n\n\(ida)\n\t",
        ] {
            #expect(try await ByteStream.make(text).jsonLines(of: Dog.self).elements() == dogs)
        }
    }

    @Test func chunkBoundariesDoNotChangeValues() async throws {
        let document = Data("{\"id\":1,\"name\":\"é€😀\"}\r\n \n{\"id\":2,\"name\":\"\"}".utf8)

        for pieces in document.everyCut {
            #expect(
                try await ByteStream.make(pieces).jsonLines(of: Dog.self).elements() == [
                    Dog(id: 1, name: "é€😀"), Dog(id: 2, name: ""),
                ])
        }
    }

    @Test func valuesMayBeOptional() async throws {
        #expect(
            try await ByteStream.make("1\nnull\n\n2").jsonLines(of: Int?.self).elements()
                == [1, nil, 2])
    }

    @Test func decoderOfRequestIsUsed() async throws {
        let stream = ByteStream.make(
            rex, context: try .make(decoder: StartDecoder(name: "request")))

        #expect(
            try await stream.jsonLines(of: Dog.self).elements() == [Dog(id: 0, name: "request")])
    }

    @Test func givenDecoderIsUsed() async throws {
        let stream = ByteStream.make(
            rex, context: try .make(decoder: StartDecoder(name: "request")))
        let decoder = StartDecoder(name: "given")

        #expect(
            try await stream.jsonLines(of: Dog.self, decoder: decoder).elements()
                == [Dog(id: 0, name: "given")])
    }

    @Test func decoderReceivesDataThatStartsAtZero() async throws {
        let stream = ByteStream.make("\(rex)\n\(ida)\n")
        let decoder = StartDecoder(name: "")

        #expect(
            try await stream.jsonLines(of: Dog.self, decoder: decoder).elements().map(\.id)
                == [0, 0])
    }

    @Test(arguments: [#"{"id":2}"#, "{", "\u{A0}", "{} {}"])
    func undecodableLineEndsStream(line: String) async throws {
        let context = try ByteStream.Context.make()
        let stream = ByteStream.make("\(rex)\n\(line)\r\n\(ida)\n", context: context)
        let ends = stream.recordEnds()
        var dogs = stream.jsonLines(of: Dog.self).makeAsyncIterator()

        #expect(try await dogs.next() == Dog())
        let error = await expectError(.decoding) { try await dogs.next() }
        #expect(error?.body.map { Array($0) } == Array(line.utf8))
        #expect(error?.body?.startIndex == 0)
        #expect(error?.request == context.request)
        #expect(error?.response == context.http)
        #expect(error?.underlying is DecodingError)
        #expect(ends.current.count == 1)
        #expect(ends.current.first is APIError)
        await #expect(throws: APIError.self) { try await dogs.next() }
    }

    @Test func lineOfInvalidUTF8EndsStream() async {
        let stream = ByteStream.make([Data("\"".utf8) + [0xFF] + Data("\"\n".utf8)])

        let error = await #expect(throws: APIError.self) {
            try await stream.jsonLines(of: String.self).elements()
        }

        #expect(error?.underlying is DecodingError)
    }

    @Test func exitFromLoopEndsStream() async throws {
        let stream = ByteStream.make("1\n2\n")
        let ends = stream.recordEnds()

        for try await _ in stream.jsonLines(of: Int.self) { break }

        #expect(ends.current.count == 1)
        #expect(ends.current.first is CancellationError)
    }
}

/// A decoder that returns a dog with the start index of the data as its identifier.
private struct StartDecoder: ResponseDecoder {
    let name: String

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let dog = try JSONEncoder().encode(Dog(id: data.startIndex, name: name))
        return try JSONDecoder().decode(type, from: dog)
    }
}
