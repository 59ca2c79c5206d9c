import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How few questions to a parser show which changes it notices.
@Suite(.inTurn) struct RecordedOutputsTests: ComparingResponses {
    /// A parser of objects with some members that it requires, and some that it reads.
    private struct Members: Sendable {
        let required: Set<String>
        let read: Set<String>
        let count = Locked(0)

        var parser: ResponseParser {
            ResponseParser(type: "Members") { response in
                count.withLock { $0 += 1 }
                let members = try JSONValue(text: response.value).members ?? [:]
                guard required.isSubset(of: members.keys) else {
                    throw URLError(.cannotParseResponse)
                }
                return read.sorted().map { members[$0] }
            }
        }
    }

    /// Returns an object with members of given numbers.
    private func body(_ numbers: some Sequence<Int>) -> String {
        "{\(numbers.map { #""m\#($0)": \#($0)"# }.joined(separator: ","))}"
    }

    private func names(_ numbers: some Sequence<Int>) -> Set<String> {
        Set(numbers.map { "m\($0)" })
    }

    private func changes(from old: String, to new: String) -> [JSONComparison.Change] {
        JSONComparison(
            from: [response(old)].compactMap(\.json), to: [response(new)].compactMap(\.json)
        ).changes
    }

    /// The number of halvings that separate some changes.
    private func depth(of count: Int) -> Int {
        (count - 1).bitWidth - (count - 1).leadingZeroBitCount
    }

    @Test(arguments: 0..<40)
    func questionsGrowWithTheLogarithmOfTheChanges(seed: Int) throws {
        var random = SystemRandomNumberGenerator()
        let count = Int.random(in: 1...200, using: &random)
        let noticed = (0..<count).shuffled(using: &random).prefix(seed % 8)
        let members = Members(
            required: seed.isMultiple(of: 3) ? names(noticed) : [], read: names(noticed))
        let outputs = try RecordedOutputs(of: [response(body(0..<count))], by: members.parser)
        members.count.withLock { $0 = 0 }
        let changes = changes(from: body(0..<count), to: body([count]))
            .filter { $0.weight == .gone }

        let effects = outputs.effects(of: changes[...])

        #expect(changes.count == count)
        #expect(Set(effects.keys.map { JSONStep.path(of: $0) }) == names(noticed))
        #expect(
            members.count.withLock { $0 } <= 2 * noticed.count * depth(of: count) + 1,
            "\(noticed.count) of \(count)")
    }

    @Test func oneQuestionShowsThatNothingIsNoticed() throws {
        let members = Members(required: ["m1"], read: [])
        let outputs = try RecordedOutputs(of: [response(body(0..<100))], by: members.parser)
        members.count.withLock { $0 = 0 }
        let changes = changes(from: body(0..<100), to: body([1])).filter { $0.weight == .gone }

        #expect(changes.count == 99 && outputs.effects(of: changes[...]).isEmpty)
        #expect(members.count.withLock { $0 } == 1)
    }

    @Test func changesBeyondThoseOfAFailureAreNotTried() throws {
        let count = 1_000
        let members = Members(required: [], read: names(0..<count))
        let parser = members.parser

        let changes = ResponseChanges(
            from: [response(body(0..<count))], to: [response(body([count]))], readBy: parser)

        #expect(
            RecordedOutputs.maxEffects..<2 * RecordedOutputs.maxEffects ~= changes.warnings.count)
        #expect(changes.lineOfOthers.hasSuffix(" other changes, not all of them tried."))
        #expect(
            members.count.withLock { $0 } < 4 * RecordedOutputs.maxEffects + 2 * depth(of: count))
    }

    @Test func changeThatDoesNothingAloneIsCounted() {
        struct Label { var text: String? }
        let either = Parsed { data in
            let members = try JSONDecoder().decode([String: String].self, from: data)
            return Label(text: members["name"] ?? members["title"])
        }

        let changes = ResponseChanges(
            from: [response(#"{"name": "a", "title": "b", "x": "1"}"#)],
            to: [response(#"{"y": "1"}"#)], readBy: ResponseParser(either))

        #expect(changes.failures + changes.warnings == [])
        #expect(changes.lineOfOthers == "\n4 other changes that this client does not notice.")
    }

    @Test func parserOfBytesSeesTheChangesAlone() {
        // The encoder writes no white space.
        let spaced = Parsed { data -> String? in
            String(decoding: data, as: UTF8.self).contains(#""name": "#) ? "spaced" : nil
        }

        #expect(
            lines(
                response(#"{"name": "a", "etag": 1}"#), response(#"{"name": "b"}"#),
                as: spaced) == [])
    }
}
