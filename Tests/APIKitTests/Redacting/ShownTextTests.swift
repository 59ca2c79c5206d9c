import Testing

@testable import APIKit

@Suite(.inTurn) struct ShownTextTests {
    @Test(arguments: [
        ("a\r\n\tb", "a b"), ("  a  ", "a"), ("a\u{0}b\u{1B}[2J", "a b [2J"),
        ("a  b", "a b"), (" a", "a"), ("a ", "a"), ("a b", "a b"), ("", ""),
        ("a\u{202E}gnp.exe", "a gnp.exe"), ("é\u{2066}b", "é b"),
    ])
    func textOnOneLineHasNoControlCharacters(text: String, expected: String) {
        #expect(text.onOneLine == expected)
    }

    @Test(arguments: [
        ("abc", "abc"), ("abcd", "abcd"), ("abcde", "abc…"), ("éééé", "éééé"), ("ééééé", "ééé…"),
        ("e\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}…"),
    ])
    func shortenedTextHasAtMostTheGivenNumberOfScalars(text: String, expected: String) {
        #expect(text.shortened(to: 4) == expected)
    }
}
