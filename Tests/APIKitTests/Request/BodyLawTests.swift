import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Properties of JSON and form bodies, tested with random content.
@Suite(.inTurn) struct BodyLawTests {
    private func recorded(_ body: Data, contentType: String) throws -> RecordedRequest {
        let request = try URLRequest.make("POST", headers: ["Content-Type": contentType])
        return RecordedRequest(request, url: try .make("https://h.example/"), body: body)
    }

    private func request(_ json: String) throws -> RecordedRequest {
        try recorded(Data(json.utf8), contentType: "application/json")
    }

    @Test func jsonPatternMatchesValueInAnyOrderAndSpacing() throws {
        var random = SeededGenerator(seed: 8259)
        for _ in 0..<Stress.count(400) {
            let value = RandomJSON(using: &random)
            let request = try request(value.text(using: &random))

            #expect(RequestPattern.any.json(value).matches(request), "\(value)")
            #expect(RequestPattern.any.jsonContaining(value).matches(request), "\(value)")
        }
    }

    @Test func jsonPatternMatchesSubsetOfValue() throws {
        var random = SeededGenerator(seed: 8259)
        for _ in 0..<Stress.count(400) {
            let value = RandomJSON(using: &random)
            let subset = value.subset(using: &random)
            let request = try request(value.text(using: &random))

            #expect(RequestPattern.any.jsonContaining(subset).matches(request), "\(value)")
            #expect(RequestPattern.any.json(subset).matches(request) == (subset == value))
        }
    }

    @Test func patternReportsDifferencesUnlessItMatches() throws {
        var random = SeededGenerator(seed: 8259)
        for _ in 0..<Stress.count(400) {
            let (first, second) = (RandomJSON(using: &random), RandomJSON(using: &random))
            let request = try request(second.text(using: &random))
            for pattern in [
                RequestPattern.any.json(first), RequestPattern.any.jsonContaining(first),
            ] {
                #expect(
                    pattern.matches(request)
                        == (pattern.differenceCount(from: ComparedRequest(request)) == 0))
            }
            #expect(RequestPattern.any.json(first).matches(request) == (first == second))
        }
    }

    @Test func malformedMultipartBodyYieldsBoundedParts() throws {
        var random = SeededGenerator(seed: 7578)
        let pieces = [
            "--b", "--b", "--", "\r\n", "\r\n", "\r\n\r\n", "\n", "-", "b", "\0",
            "Content-Disposition: form-data; name=\"a\"", "; name=", "\"", "\\", ";", "=", "é", ":",
        ]
        for _ in 0..<Stress.count(4_000) {
            let text = String.random(of: pieces, 0...30, using: &random)
            let delimiters = text.components(separatedBy: "--b").count - 1
            for body in [Data(text.utf8), Data(text.garbled(using: &random).utf8)] {
                let parts = try recorded(body, contentType: "multipart/form-data; boundary=b").parts

                #expect(parts.count <= delimiters)
                #expect(parts.allSatisfy { $0.body.count <= body.count })
            }
        }
    }

    @Test func malformedContentTypeYieldsAtMostOnePart() throws {
        var random = SeededGenerator(seed: 7578)
        let pieces = ["boundary", "=", "\"", "\\", ";", " ", "b", "\t", "é", ",", "Boundary=b"]
        for _ in 0..<Stress.count(2_000) {
            let type = "multipart/form-data;" + .random(of: pieces, 0...12, using: &random)

            let parts = try recorded(Data("--b\r\n\r\n--b--".utf8), contentType: type).parts

            #expect(parts.count <= 1)
        }
    }

    @Test(
        .timeLimit(.minutes(10)), arguments: ["\r\n--b", "--b\r\n", "\r\n--b\r\n\r\n", "\r\n--bb"])
    func bodyOfDelimitersIsParsedInLinearTime(piece: String) throws {
        let count = Stress.count(200_000) / piece.utf8.count
        let body = Data(String(repeating: piece, count: count).utf8)

        let parts = try recorded(body, contentType: "multipart/form-data; boundary=b").parts

        #expect(parts.isEmpty)
    }
}
