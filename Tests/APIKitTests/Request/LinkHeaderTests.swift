import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct LinkHeaderTests {
    static let url = "https://h.example/v1/dogs?page=1"

    private func link(
        _ relation: String = "next", in header: String?, of url: String = url
    ) throws -> String? {
        let headers = header.map { ["Link": $0] } ?? [:]
        return try HTTPURLResponse.make(url: url, headers: headers).link(relation: relation)?
            .absoluteString
    }

    @Test(arguments: [
        ("https://o.example:8080/a?b=1#c", "https://o.example:8080/a?b=1#c"),
        ("?page=2", "https://h.example/v1/dogs?page=2"),
        ("#2", "https://h.example/v1/dogs?page=1#2"),
        ("?q=a,b;c=\"d\"", "https://h.example/v1/dogs?q=a,b;c=%22d%22"),
        ("?page[after]=a%2Bb%20c", "https://h.example/v1/dogs?page%5Bafter%5D=a%2Bb%20c"),
        ("https://[::1]:8080/dogs?page=2", "https://[::1]:8080/dogs?page=2"),
    ])
    func targetIsResolvedAgainstURLOfResponse(target: String, expected: String) throws {
        #expect(try link(in: "<\(target)>; rel=\"next\"") == expected)
    }

    @Test(arguments: [
        "<n>;rel=next", "<n>;rel=\"next\"", "<n>; REL=\"Next\"", " \t<n> ;\trel = \"NEXT\" ",
        "<n>; rel=\"prev next\"", "<n>; rel=\" prev\t next  last\"", "<n>; title=x; rel=next",
        "<n>; rel=next; title=\"x\"", "<n>; title=\"<p>; rel=prev, \"; rel=next",
        "<n>; title=\"\\\"; rel=prev\\\\\"; rel=next", "<n>; title*=UTF-8''x; rel=next",
        "<n>; crossorigin; rel=next", "<n>;; rel=next;", "<n>; rel=\"\\n\\e\\x\\t\"",
        "<n>; rel=next; rel=prev", "<n>; title=a; title=\"; rel=prev\"; rel=next",
        "<p>; rel=prev, <n>; rel=next", "<p>; rel=\"prev\",<n>;rel=\"next\",<l>; rel=last",
        "<p>,<n>; rel=next", ", ,<n>; rel=next,", "<n>; rel=next, <o>; rel=next",
        "<a,b>; rel=prev, <n>; rel=next", "<p>; title=\"a, <o>; rel=next\", <n>; rel=next",
        "<n>; rel=next, garbage", "<n>; rel=\"next", "<n>; rel=next; title=\"\\",
        "<n>; rel=next; anchor=\"\"", "<n>; rel=next; anchor=\"?page=1\"",
        "<o>; rel=next; anchor=\"#part\", <n>; rel=next",
        "<n>; rel=next; anchor=\"\(url)\"; anchor=\"/other\"", "<n>; rel='next'",
        "<n>; rel = 'prev Next'; title='a\"b'", "<>; rel=next, <n>; rel=next",
    ])
    func linkOfRelationIsFound(header: String) throws {
        #expect(try link(in: header) == "https://h.example/v1/n")
    }

    @Test(arguments: [
        nil, "", " ", "next", "<n>", "<n>; rel", "<n>; rel=", "<n>; rel=\"\"", "<n>; rel=prev",
        "<n>; rel=nextpage", "<n>; rel=\"next-page\"", "<n>; rev=next", "<n>; title=\"rel=next\"",
        "<n>; rel=prev; rel=next", "<n", "<n; rel=next", "n>; rel=next", "n; rel=next",
        "garbage, <n>; rel=next", "<p>; rel=prev garbage, <n>; rel=next", "<n> rel=next",
        "<p>; title=\"a, <n>; rel=next", "<n>, rel=next", "<p>; rel=prev, , ; rel=next",
        "<n>; rel=next; anchor=\"/other\"", "<n>; rel=next; anchor=\"#part\"",
        "<n>; rel=next; anchor=\"?page=2\"", "<>; rel=\"next\"", "<n>; rel='prev', title='next'",
    ])
    func headerWithoutRelationHasNoLink(header: String?) throws {
        #expect(try link(in: header) == nil)
    }

    @Test func relationURLsAreCaseInsensitive() throws {
        let header = "<n>; rel=\"https://rel.example/Siblings next\""

        #expect(try link("https://REL.example/siblings", in: header) != nil)
    }
}

extension LinkHeaderTests {
    /// The target of a link and its parameters, as written.
    fileprivate struct Link: Equatable {
        let target: String
        let parameters: [String: String]
    }

    private static func links(in header: String) -> [Link] {
        var (reader, links) = (FieldReader(header), [Link]())
        while let (target, parameters) = reader.readLink() {
            links.append(Link(target: target, parameters: parameters))
        }
        return links
    }

    @Test func validLinksAreParsed() {
        var random = SeededGenerator(seed: 8288)
        for _ in 0..<Stress.count(2_000) {
            let links = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                WrittenLink(using: &random)
            }
            let header = links.map(\.text).joined(separator: ", ")

            #expect(Self.links(in: header) == links.map(\.link), "\(header)")
        }
    }

    @Test func garbledHeaderYieldsBoundedLinks() throws {
        var random = SeededGenerator(seed: 8288)
        let header =
            #"<?a=1,2>; rel="prev \"x\\"; title*=UTF-8''%e2, </b>;anchor="?page=1" ;rel=next"#
        var garbled = header.indices.map { String(header[..<$0]) }
        for _ in 0..<Stress.count(5_000) {
            var bytes = Array(header.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            garbled.append(String(decoding: bytes, as: UTF8.self))
        }

        let url = try URL.make(Self.url)
        for text in garbled {
            // A link takes at least two characters.
            #expect(Self.links(in: text).count <= text.utf8.count / 2)
            _ = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Link": text])?
                .link(relation: "next")
        }
    }
}

/// A random link, and a random spelling of it.
private struct WrittenLink {
    let link: LinkHeaderTests.Link
    let text: String

    init(using random: inout SeededGenerator) {
        func text(of characters: String, _ length: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: length, using: &random)).compactMap { _ in
                    characters.randomElement(using: &random)
                })
        }
        func cased(_ text: String) -> String {
            String(text.map { Bool.random(using: &random) ? $0 : Character($0.uppercased()) })
        }

        let target = text(of: #"ab/?=&%,;"\ "#, 0...8)
        var written = "<\(target)>"
        var parameters: [String: String] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let name = ["rel", "anchor", "title*", "x-1"].randomElement(using: &random) ?? ""
            var value = ""
            written += text(of: " \t", 0...2) + ";" + text(of: " \t", 0...2) + cased(name)
            if Bool.random(using: &random) {
                written += text(of: " \t", 0...2) + "=" + text(of: " \t", 0...2)
                if Bool.random(using: &random) {
                    value = text(of: "aZ1*%", 1...5)
                    written += value
                } else {
                    value = text(of: #"aZ ä<>,;='"\"#, 0...8)
                    written += "\""
                    for character in value {
                        let isEscaped = "\"\\".contains(character) || Bool.random(using: &random)
                        written += isEscaped ? "\\\(character)" : "\(character)"
                    }
                    written += "\""
                }
            }
            if parameters[name] == nil { parameters[name] = value }
        }
        link = LinkHeaderTests.Link(target: target, parameters: parameters)
        self.text = written
    }
}
