import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What the output of a changed body lacks.
@Suite(.inTurn) struct ParsedOutputTests {
    private func losses(_ then: Any, _ now: Any, isGone: Bool = false) -> [String] {
        ParsedOutput(then).tree.losses(in: ParsedOutput(now).tree, isGone: isGone)
    }

    private struct Tag: Hashable {
        var id = 1
        var text: String?

        static func == (first: Self, second: Self) -> Bool { first.id == second.id }
    }

    private enum Event {
        case push(size: Int), fork(Tag), other
    }

    @Test func lossNamesTheProperty() {
        let tags = [Tag(text: "a"), Tag(text: "b")]

        #expect(losses(tags, [Tag(text: "a"), Tag()]) == ["nil for [].text"])
        #expect(losses(tags, [Tag(text: "a")]) == ["fewer elements"])
        #expect(losses(["a": tags], ["a": [Tag]()]) == ["fewer elements for a"])
        #expect(losses(Optional(tags) as Any, Optional<[Tag]>.none as Any) == ["nil"])
        #expect(losses(JSONValue.string("1"), JSONValue.number(1)) == ["another kind"])
    }

    @Test func otherDataAreNoLoss() {
        #expect(losses(Tag(text: "a"), Tag(id: 2, text: "b")) == [])
        #expect(losses(Tag(), Tag(text: "b")) == [])
        #expect(losses([1], [2, 3]) == [])
        #expect(losses(["USD": 1.5], ["EUR": 2.5]) == [])
        #expect(losses(Event.push(size: 1), Event.fork(Tag())) == [])
        #expect(losses(UUID(), UUID()) == [])
        #expect(losses(Date(), Date.distantPast) == [])
    }

    @Test(arguments: [true, false])
    func defaultIsALossOnlyInPlaceOfSomething(isGone: Bool) {
        func losses(_ then: Any, _ now: Any) -> [String] {
            self.losses(then, now, isGone: isGone)
        }

        #expect(losses(true, false) == (isGone ? ["false"] : []))
        #expect(losses(3, 0) == (isGone ? ["0"] : []))
        #expect(losses(3.5, 0.0) == (isGone ? ["0.0"] : []))
        #expect(losses("Rex", "") == (isGone ? ["an empty text"] : []))
        #expect(losses(false, true) == [])
        #expect(losses(0, 0) == [])
    }

    @Test func setsAndDictionariesHaveNoOrder() {
        let names = (1...20).map { "\($0)" }
        let counts = Dictionary(uniqueKeysWithValues: zip(names, names))

        #expect(ParsedOutput(Set(names)).tree == ParsedOutput(Set(names.reversed())).tree)
        #expect(ParsedOutput(counts).tree.members?["7"] == "7")
        #expect(ParsedOutput([17: "Rex"]).tree.members?["17"] == "Rex")
    }

    @Test func valuesOfDictionariesAreCounted() {
        struct Counts { var inner = ["a": ["b": 1, "c": 2]] }

        #expect(ParsedOutput(Counts()).dictionaryValueCount == 3)
        #expect(ParsedOutput(["a": 1] as JSONValue).dictionaryValueCount == 0)
    }

    @Test func propertiesOfASuperclassAndExactDatesAreCompared() {
        class Base { var at = Date(timeIntervalSinceReferenceDate: 0.001) }
        final class Derived: Base { var name = "Rex" }

        let tree = ParsedOutput(Derived()).tree

        #expect(tree.members?["name"] == "Rex")
        #expect(tree.members?["at"] == .number(Decimal(0.001)))
    }

    @Test func objectsThatReferToEachOtherHaveATree() {
        final class Dog {
            var name = "Rex"
            var friend: Dog?
        }
        let (first, second) = (Dog(), Dog())
        (first.friend, second.friend) = (second, first)

        let friend = ParsedOutput(first).tree.members?["friend"]
        (first.friend, second.friend) = (nil, nil)

        #expect(friend == ["name": "Rex", "friend": nil])
    }

    @Test func longChainOfObjectsHasItsStart() {
        final class Link {
            let name = "Rex"
            let next: Link?
            init(_ next: Link?) { self.next = next }
        }

        let chain = (0..<5_000).reduce(Link(nil)) { next, _ in Link(next) }

        #expect(ParsedOutput(chain).tree.members?["next"]?.members?["name"] == "Rex")
    }
}
