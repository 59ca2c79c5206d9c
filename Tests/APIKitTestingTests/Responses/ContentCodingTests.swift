import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ContentCodingTests {
    private let server = MockServer()

    /// `hi` in gzip: valid, with a name, with a wrong checksum, and twice.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0xC8, 4, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0,
    ]
    private static let named =
        gzip[..<3] + [8] + gzip[4..<10] + Array("a.txt\0".utf8) + gzip[10...]
    private static let wrong = gzip[..<14] + [0] + gzip[15...]
    private static let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0xC8, 4, 0, 1, 0x3B, 0, 0xD2]
    /// `hi` and a copy of it from the start, which zlib itself does not make.
    private static let copy: [UInt8] = [0x78, 0x9C, 0xCB, 0xC8, 4, 0x41, 0, 8, 0x97, 2, 0x74]

    private func load(_ bytes: some Sequence<UInt8>, _ coding: String) async throws -> String {
        server.on(.any, reply: .data(Data(bytes)).header("Content-Encoding", coding))
        let ways: [any HTTPTransport] = [server.session, server]
        var texts: Set<String> = []
        for way in ways {
            let (data, response) = try await way.send(.make())
            texts.insert(String(decoding: data, as: UTF8.self))
            let head = response as? HTTPURLResponse
            #expect(head?.value(forHTTPHeaderField: "Content-Encoding") == coding)
        }
        return try #require(texts.count == 1 ? texts.first : nil)
    }

    @Test(arguments: [
        (gzip, "gzip", "hi"), (gzip, "X-GZIP", "hi"), (Array(named), "gzip", "hi"),
        (gzip + gzip, "gzip", "hihi"), (zlib, "deflate", "hi"), (copy, "deflate", "hihihi"),
        // A text that is decoded already, and a coding that is not known.
        (Array("plain".utf8), "gzip", "plain"), (Array("plain".utf8), "br", "plain"),
    ])
    func sessionDecodesABody(bytes: [UInt8], coding: String, text: String) async throws {
        #expect(try await load(bytes, coding) == text)
    }

    @Test(arguments: [Array(wrong), Array(gzip.dropLast()), Array(gzip[..<12]), [0x1F, 0x8B]])
    func bodyThatIsBrokenFailsItsLoad(bytes: [UInt8]) async throws {
        let error = await #expect(throws: URLError.self) { try await load(bytes, "gzip") }
        #expect(error?.code == .cannotDecodeContentData)
    }

    @Test(arguments: [(gzip, true), (Array("plain".utf8), false)])
    func portSendsABodyWithItsCoding(bytes: [UInt8], isCoded: Bool) async throws {
        server.on(.any, reply: .data(Data(bytes)).header("Content-Encoding", "gzip"))
        try await server.listening { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            client.send("GET / HTTP/1.1", "Connection: close")
            let text = await client.text()
            #expect(text.contains("Content-Encoding: gzip\r\n") == isCoded)
            #expect(text.contains("Content-Length: \(bytes.count)\r\n"))
        }
    }

    // Made by zlib with stored blocks, fixed codes and dynamic codes.
    @Test(arguments: ["stored", "fixed", "dynamic", "long"])
    func blocksOfEachKindAreDecoded(kind: String) throws {
        let url = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/Codings")
        let text = try Data(
            contentsOf: url.appending(path: "\(kind == "long" ? "long" : "text").txt"))
        let coded = try Data(contentsOf: url.appending(path: "\(kind).gz"))

        #expect(try Inflater.content(of: Array(coded), in: "gzip") == Array(text))
    }

    @Test func noChangedByteEndsTheProcess() throws {
        let url = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/Codings")
        let coded = Array(try Data(contentsOf: url.appending(path: "dynamic.gz")))
        let text = try Inflater.content(of: coded, in: "gzip")
        var random = SeededGenerator(seed: 1951)
        for _ in 0..<Stress.count(500) {
            var changed = coded
            changed[Int.random(in: 10..<changed.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            do {
                // The bits between the last block and the checksum have no meaning.
                #expect(try Inflater.content(of: changed, in: "gzip") == text)
            } catch {
                #expect(error is Inflater.Mistake)
            }
        }
    }
}
