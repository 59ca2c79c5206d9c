import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Requests that are built from random text are parsed correctly by the mock server.
@Suite(.inTurn) struct BuildingLawTests {
    private static let texts = [
        "a", "Z", "7", "&", "=", "+", "%", "%20", " ", ";", "é", "e\u{301}", "🐕‍🦺", "\0", "\n",
        "\r\n", "#", "?", "/", "\\", "\"", "[", "]", "{", "}", "*", ".", "..", ":", "@", "'", "|",
    ]

    private func recorded(_ request: URLRequest) throws -> RecordedRequest {
        RecordedRequest(request, url: try #require(request.url), body: request.httpBody ?? Data())
    }

    private func items(using random: inout SeededGenerator) -> QueryItems {
        var items: QueryItems = [:]
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            items.append(
                .random(of: Self.texts, using: &random),
                String.random(of: Self.texts, using: &random))
        }
        return items
    }

    @Test func queryItemsAndFormFieldsRoundTrip() throws {
        var random = SeededGenerator(seed: 3986)
        for _ in 0..<Stress.count(1_000) {
            let items = items(using: &random)

            let get = try URLRequest(.get, "https://h.example/search?a=b#top", query: items)
            let post = try URLRequest(.post, "https://h.example", body: .form(items))

            let expected = [URLQueryItem(name: "a", value: "b")] + items.items
            #expect(try recorded(get).queryItems == expected)
            #expect(try recorded(post).form == items.items)
        }
    }

    @Test func malformedFormsAndCookiesAreBounded() {
        var random = SeededGenerator(seed: 3986)
        let parts = Self.texts + ["%F", "%FF", "&&", "==", "; ", "=;", ",", "\t"]
        for _ in 0..<Stress.count(2_000) {
            let text = String.random(of: parts, 0...12, using: &random)
            var request = URLRequest(url: URL(filePath: "/"))
            request.setValue(text, forHTTPHeaderField: "Cookie")
            request.setValue(
                "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            let recorded = RecordedRequest(request, url: URL(filePath: "/"), body: Data(text.utf8))

            #expect(recorded.form.count <= text.utf8.count { $0 == UInt8(ascii: "&") } + 1)
            #expect(recorded.cookies.count <= text.utf8.count { $0 == UInt8(ascii: ";") } + 1)
        }
    }

    @Test func pathParametersRoundTrip() throws {
        var random = SeededGenerator(seed: 3986)
        let pattern = RequestPattern.get("/dogs/{dog}/é b/{bone}")
        for _ in 0..<Stress.count(1_000) {
            let dog = String.random(of: Self.texts, 1...6, using: &random)
            let bone = String.random(of: Self.texts, 1...6, using: &random)
            let parts = [dog, bone].flatMap { $0.split { "/\\".contains($0) } }
            guard !parts.contains("."), !parts.contains("..") else { continue }

            let path: APIPath = "https://h.example/dogs/\(dog)/é b/\(bone)"

            let match = try pattern.match(ComparedRequest(recorded(URLRequest(.get, path))))
            #expect(match == ["dog": dog, "bone": bone])
        }
    }

    /// A random template, a path that matches it, and its parameters.
    private func template(
        using random: inout SeededGenerator
    ) -> (text: String, path: String, values: [String: String]) {
        var (text, path, values) = ("", "", [String: String]())
        for number in 0..<Int.random(in: 1...5, using: &random) {
            let piece = ["a", "b", "c%20d", "é"].randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                text += "/{\(number)}"
                values["\(number)"] = piece.removingPercentEncoding
            case 1: text += "/*"
            default: text += "/\(piece)"
            }
            path += "/\(piece)"
        }
        if Bool.random(using: &random) {
            text += "/**"
            path += .random(of: ["/", "/x", "/y"], using: &random)
        }
        return (text, path, values)
    }

    @Test func templateMatchesItsFilledPath() {
        var random = SeededGenerator(seed: 6570)
        for _ in 0..<Stress.count(2_000) {
            let (text, path, values) = template(using: &random)

            let match = PathTemplate(text).parameters(in: RecordedRequest.segments(of: path))

            #expect(match == values, "\(text) of \(path)")
        }
    }

    /// A pattern for a random path, or for the end of one.
    private func randomPattern(using random: inout SeededGenerator) -> RequestPattern {
        let (text, path, _) = template(using: &random)
        guard Bool.random(using: &random) else { return .path(text) }
        let end = RecordedRequest.segments(of: path).suffix(.random(in: 0...2, using: &random))
        return RequestPattern([
            .path(
                PathTemplate(
                    end.map { .literal(ExactText($0)) }, isSuffix: true, text: "", expectation: ""))
        ])
    }

    @Test func routeIndexFindsEachMatchingRoute() {
        var random = SeededGenerator(seed: 6570)
        for _ in 0..<Stress.count(200) {
            let location = SourceCodeLocation(#fileID, #filePath, #line, #column)
            let routes = (0..<20).map { number in
                MockRoute(
                    randomPattern(using: &random), replies: [], times: nil,
                    number: number, location: location)
            }
            var index = RouteIndex()
            for route in routes { index.insert(route) }
            for _ in 0..<20 {
                let path = RecordedRequest.segments(of: template(using: &random).path)

                let found = index.candidates(for: path)
                    .filter { $0.pattern.path?.parameters(in: path) != nil }

                let expected = routes.filter { $0.pattern.path?.parameters(in: path) != nil }
                #expect(found.map(\.number) == expected.map(\.number).reversed())
            }
        }
    }

    @Test func malformedTemplateNeverMatches() {
        var random = SeededGenerator(seed: 6570)
        var (malformedCount, matchCount) = (0, 0)
        for _ in 0..<Stress.count(4_000) {
            let text = String.random(of: Self.texts + ["**", "{a}", "://"], using: &random)
            let path = String.random(of: Self.texts, using: &random)
            let template = PathTemplate(text)

            let match = template.parameters(in: RecordedRequest.segments(of: path))

            #expect(template.problem == nil || match == nil)
            #expect(!RequestPattern.path(text).description.isEmpty)
            if template.problem != nil { malformedCount += 1 }
            if match != nil { matchCount += 1 }
        }
        #expect(malformedCount > 100 && matchCount > 0)
    }
}
