import Foundation
import Testing

@testable import APIKit

@Suite struct SpillFileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func holdsBytesUntilTheyAreRead() throws {
        let file = try SpillFile(in: folder.url)

        try file.append(Data("one".utf8))
        try file.append(Data("two".utf8))
        #expect(try file.next() == Data("onetwo".utf8))
        #expect(file.isEmpty)

        try file.append(Data("six".utf8))
        #expect(try file.next() == Data("six".utf8))
        #expect(file.isEmpty)
    }

    @Test func handsOutNoMoreThanAPartOfALotAtOnce() throws {
        let file = try SpillFile(in: folder.url)
        let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) })

        try file.append(data)
        let first = try file.next()
        try file.append(first)
        var rest = Data()
        while !file.isEmpty { rest += try file.next() }

        #expect(first.count == 1 << 18)
        #expect(first + rest == data + first)
    }

    @Test func hasNoName() throws {
        let file = try SpillFile(in: folder.url)
        try file.append(Data("one".utf8))

        #expect(try folder.names.isEmpty)
        #expect(try file.next() == Data("one".utf8))
    }

    @Test func cannotBeWhereThereIsNoFolder() {
        let error = #expect(throws: APIError.self) { try SpillFile(in: folder.url("missing")) }

        #expect(error?.underlying as? POSIXError == POSIXError(.ENOENT))
    }
}
