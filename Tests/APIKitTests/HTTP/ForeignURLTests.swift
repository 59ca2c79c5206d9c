import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct ForeignURLTests {
    @Test(arguments: [
        // A text without other characters stays.
        ("https://a.example/x?a=%C3%bc&b=1+2#c", "https://a.example/x?a=%C3%bc&b=1+2#c"),
        ("HTTP://A.example:80", "HTTP://A.example:80"), ("/a;b=c,d?e", "/a;b=c,d?e"),
        ("https://[::1]:8080/?", "https://[::1]:8080/?"), ("mailto:a@b", "mailto:a@b"),
        // An escape beside other characters stays.
        (
            "https://a.example/x?filter[name]=J%C3%BCrgen",
            "https://a.example/x?filter%5Bname%5D=J%C3%BCrgen"
        ),
        ("/%2F a|b%zz/%", "/%2F%20a%7Cb%25zz/%25"), ("/x?q=100%#50%", "/x?q=100%25#50%25"),
        // The sets of the path, the query and the fragment.
        ("/ \"<>^`{|}[]'ü", "/%20%22%3C%3E%5E%60%7B%7C%7D%5B%5D'%C3%BC"),
        ("/?\\ \"<>^`{|}[]'ü?/", "/?%5C%20%22%3C%3E%5E%60%7B%7C%7D%5B%5D%27%C3%BC?/"),
        ("/#\\ \"<>^`{|}[]'#ü?/", "/#%5C%20%22%3C%3E%5E%60%7B%7C%7D%5B%5D'%23%C3%BC?/"),
        // The set of the user and the password.
        (
            "https://u;=[x]@y:p:w@a.example", "https://u%3B%3D%5Bx%5D%40y:p%3Aw@a.example"
        ),
        ("https://ü:p|@a.example/", "https://%C3%BC:p%7C@a.example/"),
        // Control characters, and backslashes.
        (" \u{0}https://a.example/a\tb\nc\u{1}d\r ", "https://a.example/abc%01d"),
        ("https:\\\\a.example\\b?c\\d", "https://a.example/b?c%5Cd"),
    ])
    func textIsReadAsBrowsersReadIt(text: String, expected: String) throws {
        #expect(URL(foreign: text)?.absoluteString == expected)
    }

    @Test(arguments: ["", "https://a.example:port/", "https://a b/"])
    func textWithoutAURLIsRefused(text: String) {
        #expect(URL(foreign: text) == nil)
    }
}
