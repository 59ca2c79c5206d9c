import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct JSONComparisonTests {
    private func changes(_ old: JSONValue, _ new: JSONValue) -> [String] {
        JSONComparison(from: [old], to: [new]).changes.map { "\($0.text) (\($0.weight))" }
    }

    /// Returns objects with identifiers.
    private static func list(
        _ ids: ClosedRange<Int64>, _ members: [String: JSONValue] = [:]
    ) -> JSONValue {
        .array(ids.map { .object(members.merging(["id": .init(integerLiteral: $0)]) { $1 }) })
    }

    @Test(
        arguments: [
            ([["id": 1], ["id": 2]], [["id": 3]]),
            (["at": "2026-01-01T12:00:00Z"], ["at": "2027-02-03T04:05:06Z"]),
            (["state": "open"], ["state": "closed"]),
            (["name": "Rex"], ["name": ""]), (["price": 1.5], ["price": 2]),
            (["price": 1.5], ["price": 2.5]), (["state": "on"], ["state": "ON"]),
            ([["a": 1], ["a": nil]], [["a": nil]]), (nil, nil), ([1, nil], [nil]),
            ([["a": 1], [:]], [["a": 1], ["a": 2]]), (["a1", "1-1"], ["2/2", "3-3"]),
        ] as [(JSONValue, JSONValue)])
    func valuesAreNotCompared(old: JSONValue, new: JSONValue) {
        #expect(changes(old, new) == [])
    }

    @Test(
        arguments: [
            (["a": 1, "b": 2], ["a": 1], ["b is gone (gone)"]),
            (["a": 1], ["a": 1, "b": 2], ["b is new (new)"]),
            (
                ["a": 1, "b": 2], ["a": 1, "c": 2],
                ["b is gone; c is new (gone)", "c is new (new)"]
            ),
            (["a": 1], ["a": "1"], ["a is now string, and was number (kind)"]),
            (["a": ["b": true]], ["a": [true]], ["a is now array, and was object (kind)"]),
            (["b": [1]], ["b": [1, "x"]], ["b[] is now number or string, and was number (kind)"]),
            (["a": "on"], ["a": "a/b"], ["a is now written in another way (form)"]),
            (["a": ["b"]], ["a": [:]], ["a is now object, and was array (counted)"]),
            (["a": [1]], ["a": [nil]], ["a[] is now null (counted)"]),
            (
                ["a": "2026-01-31"], ["a": "31/01/2026"],
                ["a is now written in another way (format)"]
            ),
            (["a": 10], ["a": 10.5], ["a is no longer whole (format)"]),
            (
                ["a": "2026-01-01T12:00:00Z"], ["a": "2026-01-01T12:00:00.5Z"],
                ["a is now written in another way (format)"]
            ),
            (
                ["a": "2026-01-01T12:00:00Z"], ["a": "today"],
                ["a is now written in another way (format)"]
            ),
            (
                ["a": "65c9f1f6-7d1e-4b7a-9d7e-1f0a9b3c2d1e"], ["a": "7"],
                ["a is now written in another way (format)"]
            ),
            (["a": "x"], ["a": nil], ["a is now null (counted)"]),
            (["a": []], ["a": ["x", 1]], ["a is empty, its elements were not compared (empty)"]),
            (["a": ["x"]], ["a": []], ["a is empty, its elements were not compared (empty)"]),
            (["a.b": 1, "c": 1], ["c": 1], [#"["a.b"] is gone (gone)"#]),
        ] as [(JSONValue, JSONValue, [String])])
    func changeHasItsPathAndWeight(old: JSONValue, new: JSONValue, expected: [String]) {
        #expect(changes(old, new) == expected)
    }

    @Test(
        arguments: [
            // In any recorded element, an absent or null member is optional.
            ([["a": 1, "b": 1], ["a": 1]], [["a": 1]], "[].b is gone (counted)"),
            ([["a": 1, "b": 1], ["a": 1, "b": nil]], [["a": 1]], "[].b is gone (counted)"),
            // Another record need not have what this one has.
            (["id": 1, "b": 1], ["id": 2], "b is gone (counted)"),
            (["id": 1, "b": 1], ["id": 1], "b is gone (gone)"),
            (list(1...4, ["b": 1]), list(6...10), "[].b is gone (counted)"),
            (list(1...5, ["b": 1]), list(6...10), "[].b is gone (gone)"),
        ] as [(JSONValue, JSONValue, String)])
    func memberThatIsAbsentTodayMayBeOptional(old: JSONValue, new: JSONValue, change: String) {
        #expect(changes(old, new) == [change])
    }

    @Test(
        arguments: [
            (
                ["data": ["a": 1]], ["data": nil, "errors": []],
                "data is now null; errors is new"
            ),
            (
                ["user": ["id": 1, "name": "a"]], ["user": nil, "owner": ["id": 1]],
                "user is now null; owner is new"
            ),
            (["nick": "Rex"], ["nick": nil, "name": "Rex"], "nick is now null; name is new"),
            (["a": 1], nil, "The body is now null"),
            (
                .array(Array(repeating: ["a": 1], count: 5)),
                .array(Array(repeating: ["a": nil], count: 5)), "[].a is now null"
            ),
        ] as [(JSONValue, JSONValue, String)])
    func valueThatIsNullForAReasonIsGone(old: JSONValue, new: JSONValue, change: String) {
        #expect(changes(old, new).contains("\(change) (gone)"))
    }

    @Test func nullBesideOtherNewMembersIsAnotherValue() {
        #expect(
            changes(["city": "Bonn", "id": 1], ["city": nil, "id": 1, "node": "MDQ6"]).first
                == "city is now null; node is new (counted)")
    }

    @Test func otherRecordWithNewMembersShowsWhatIsGone() {
        #expect(
            changes(["id": 1, "title": "a"], ["id": 2, "name": "b"])
                == ["name is new (new)", "title is gone; name is new (gone)"])
    }

    @Test(
        arguments: [
            (
                ["17": ["name": "Rex"], "18": ["name": "Max"]],
                ["8": ["name": "Ada"], "9": ["name": "Eve"]], true
            ),
            (["USD": 1, "GBP": 2], ["EUR": 3, "JPY": 4], true),
            (["2026-01-01": 1, "2026-01-02": 2], ["2026-01-02": 1, "2026-01-03": 2], true),
            // One member says nothing, nor do values of several kinds, nor another style of names.
            (["results": [1]], ["items": [1]], false),
            (["id": 1, "name": "Rex"], ["dogId": 1, "dogName": "Rex"], false),
            (["firstName": "a", "lastName": "b"], ["first_name": "a", "last_name": "b"], false),
            (["USD": 1, "GBP": 2], ["USD": 3, "JPY": 4], false),
        ] as [(JSONValue, JSONValue, Bool)])
    func objectsOfIdentifiersAreMapsIfTheirValuesAreAlike(
        old: JSONValue, new: JSONValue, isMap: Bool
    ) {
        #expect(changes(old, new).isEmpty == isMap)
    }

    @Test func textThatMostElementsHaveForThemselvesTellsNoKinds() {
        let old: JSONValue = [["id": "a", "x": 1], ["id": "b", "y": 1], ["id": "b", "y": 2]]
        let new: JSONValue = [["id": "a", "x": 1], ["id": "c", "y": 1], ["id": "c", "y": 2]]

        #expect(changes(old, new) == [])
    }

    @Test func textOfElementsWithOtherMembersTellsNoKinds() {
        // One of today's elements is alone in its kind, but the recording says that x is optional.
        let old: JSONValue = [["of": "a", "x": 1], ["of": "b", "x": 1], ["of": "b"]]
        let new: JSONValue = [["of": "a"], ["of": "b", "y": 1], ["of": "b", "y": 1], ["of": "a"]]

        #expect(changes(old, new) == ["[].x is gone; y is new (counted)", "[].y is new (new)"])
    }

    @Test func elementsOfOtherKindsAloneAreComparedTogether() {
        let old: JSONValue = [["of": "a", "x": 1], ["of": "a", "x": 1], ["of": "b"], ["of": "b"]]

        #expect(
            changes(old, [["of": "c", "x": "1"]])
                == ["[].x is now string, and was number (kind)"])
    }

    @Test func elementWithoutTheTextOfItsKindIsCompared() {
        let (push, watch): (JSONValue, JSONValue) = (["type": "a", "x": 1], ["type": "b", "y": 1])

        #expect(
            changes([push, push, watch, watch], [push, ["kind": "a"]])
                == ["[].kind is new (new)", "[].y is gone; kind is new (counted)"])
    }

    @Test func valuesOfAMapAreComparedWithEachOther() {
        #expect(
            changes(["USD": 1, "GBP": 2], ["EUR": "3", "JPY": "4"])
                == ["* is now string, and was number (kind)"])
    }

    @Test func elementsOfOneKindAreComparedWithEachOther() {
        let push: JSONValue = ["type": "push", "ref": "main", "size": 1]
        let watch: JSONValue = ["type": "watch", "action": "started"]
        let fork: JSONValue = ["type": "fork", "forkee": 1]
        let lessPush: JSONValue = ["type": "push", "ref": "main"]

        #expect(
            changes([push, push, watch, watch], [lessPush, lessPush, fork, fork]) == [
                "[type=fork] is new (counted)",
                "[type=push].size is gone (gone)",
                "[type=watch] is not there (counted)",
            ])
        #expect(
            changes([push, push, push], [watch, push, watch, push])
                == ["[type=watch] is new (counted)"])
    }
}
