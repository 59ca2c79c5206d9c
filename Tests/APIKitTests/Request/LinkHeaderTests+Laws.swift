import Foundation
import Testing

@testable import APIKit

extension LinkHeaderTests {
    @Test func validLinksAreParsed() {
        var random = SeededGenerator(seed: 8288)
        for _ in 0..<Stress.count(2_000) {
            let links = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                WrittenLink(using: &random)
            }
            let header = links.map(\.text).joined(separator: ", ")

            #expect(Array(LinkHeader(header)) == links.map(\.link), "\(header)")
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
            #expect(Array(LinkHeader(text)).count <= text.utf8.count / 2)
            _ = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Link": text])?
                .link(relation: "next")
        }
    }
}

/// A random link, and a random spelling of it.
private struct WrittenLink {
    let link: LinkHeader.Link
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
        link = LinkHeader.Link(target: target, parameters: parameters)
        self.text = written
    }
}
