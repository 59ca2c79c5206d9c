import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct JSONShapeTests {
    private func changes(_ old: JSONValue, _ new: JSONValue) -> [String] {
        JSONShape(new).changes(since: JSONShape(old))
            .map { "\($0.text)\($0.isMinor ? " (minor)" : "")" }
    }

    @Test(
        arguments: [
            ([["id": 1], ["id": 2]], [["id": 3]]),
            (["tags": []], ["tags": ["a", 1]]), (["tags": ["a"]], ["tags": []]),
            (["at": "2026-01-01T12:00:00Z"], ["at": "2027-02-03T04:05:06+01:00"]),
            (["name": "Rex"], ["name": "2026-01-01T12:00:00Z"]),
            ([["a": 1], ["a": nil]], [["a": nil]]), (nil, nil),
            ([["a": 1], [:]], [["a": 1], ["a": 2]]),
        ] as [(JSONValue, JSONValue)])
    func valuesAreNotCompared(old: JSONValue, new: JSONValue) {
        #expect(changes(old, new) == [])
    }

    @Test(
        arguments: [
            (["a": 1, "b": 2], ["a": 1], "b is gone."),
            (["a": 1], ["a": 1, "b": 2], "b is new. (minor)"),
            (["a": 1], ["a": "1"], "a is now string, and was number."),
            (["a": ["b": true]], ["a": [true]], "a is now array, and was object."),
            (["a": 1, "b": [1]], ["a": 1, "b": [1, "x"]], "b[] is now also string."),
            (
                ["a": "2026-01-01T12:00:00Z"], ["a": "2026-01-01T12:00:00.5Z"],
                "a is now date with fractions, and was date."
            ),
            (["a": "2026-01-01T12:00:00Z"], ["a": "today"], "a is now string, and was date."),
            (
                ["a": "65c9f1f6-7d1e-4b7a-9d7e-1f0a9b3c2d1e"], ["a": "7"],
                "a is now string, and was UUID."
            ),
            (["a": "https://a.example"], ["a": "/b"], "a is now string, and was URL."),
            (["a": "x"], ["a": nil], "a is now null, and was string. (minor)"),
            (["a": nil], ["a": "x"], "a is now string, and was null. (minor)"),
            (
                [["a": 1, "b": 1], ["a": 1, "b": 1]], [["a": 1], ["a": 1, "b": 1]],
                "[].b is missing in 1 of 2. (minor)"
            ),
        ] as [(JSONValue, JSONValue, String)])
    func changeOfAShapeHasItsPath(old: JSONValue, new: JSONValue, change: String) {
        #expect(changes(old, new) == [change])
    }

    @Test func fiveElementsAreEnoughToMissAMember() {
        let (with, without): (JSONValue, JSONValue) = (["a": 1, "b": 1], ["a": 1])
        let old = JSONValue.array(Array(repeating: with, count: 5))

        #expect(
            changes(old, [without, with, with, with, with]) == ["[].b is missing in 1 of 5."])
        #expect(changes(old, .array(Array(repeating: without, count: 5))) == ["[].b is gone."])
    }

    @Test func objectWithOtherNamesIsAMap() {
        let old: JSONValue = ["dogs": ["17": ["name": "Rex"], "18": ["name": "Max"]]]
        let new: JSONValue = ["dogs": ["829": ["name": 1]]]

        #expect(changes(old, ["dogs": ["829": ["name": "Rex"]]]) == [])
        #expect(changes(old, new) == ["dogs.*.name is now number, and was string."])
    }
}
