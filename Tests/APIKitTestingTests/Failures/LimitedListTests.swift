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

        for _ in 0..<5_000 { list.add(line()) }

        let text = list.lines(noun: "line")
        #expect(made < 100)
        #expect(list.count == 5_000)
        #expect(text.utf8.count <= 64 << 10)
        #expect(text.hasSuffix("é…\n  … and \(5_000 - made) more lines"))
    }

    @Test func listOfItemsMakesNoLineAfterItsLimit() {
        var made = 0
        let list = LimitedList(1...100, showing: 2) { number in
            made += 1
            return "\(number)"
        }

        #expect(made == 2)
        #expect(list.lines(noun: "line") == "\n  - 1\n  - 2\n  … and 98 more lines")
    }
}
