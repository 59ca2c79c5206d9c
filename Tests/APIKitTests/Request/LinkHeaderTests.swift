import Foundation
import Testing

@testable import APIKit

@Suite struct LinkHeaderTests {
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
        ("cats", "https://h.example/v1/cats"),
        ("/cats", "https://h.example/cats"),
        ("../cats", "https://h.example/cats"),
        ("//o.example/cats", "https://o.example/cats"),
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
