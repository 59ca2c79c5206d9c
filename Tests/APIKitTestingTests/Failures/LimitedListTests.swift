import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct LimitedListTests {
    @Test func listMakesNoLineAfterItsLimit() {
        var list = LimitedList()
        var made = 0
        func line() -> String {
            made += 1
            return String(repeating: "é", count: 2000)
        }

        for _ in 0..<100_000 { list.add(line()) }

        let text = list.lines(noun: "line")
        #expect(made < 100)
        #expect(list.count == 100_000)
        #expect(text.utf8.count <= 64 << 10)
        #expect(text.hasSuffix("é…\n  … and \(100_000 - made) more lines"))
    }
}
