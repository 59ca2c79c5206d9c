import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct InternationalizedHostTests {
    // The samples of RFC 3492, section 7.1, in lower case.
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
        ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        (
            "porquénopuedensimplementehablarenespañol",
            "porqunopuedensimplementehablarenespaol-fmd56a"
        ),
        ("tạisaohọkhôngthểchỉnóitiếngviệt", "tisaohkhngthchnitingvit-kjcr8268qyxafd2f1b9g"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-super-monkeys", "-with-super-monkeys-pc58ag80a8qai00g7n9n"),
        ("hello-another-way-それぞれの場所", "hello-another-way--fc4qua05auwb3674vfr0b"),
        ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
        ("majiでkoiする5秒前", "majikoi5-783gue6qz075azm5e"),
        ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"),
    ])
    func labelIsEncodedAsInTheStandard(label: String, expected: String) {
        #expect(label.asciiHost == "xn--" + expected)
    }

    @Test(arguments: [
        "bücher.example", "BÜCHER.example", "straße.example", "日本語。jp", "faß.de", "☃️.net",
        "a.Ü.b.é",
        "ex\u{AD}ämple.com", "a\u{301}.example", "Ａ.example", "x.ü.", "Ⅷ.example", "ﬁ.example",
    ])
    func partOfAHostIsEncodedAsTheHost(host: String) throws {
        let url = try #require(URL(string: "http://\(host)/"))

        #expect(host.asciiHost == url.host)
        #expect(".\(host)".asciiHost == url.host.map { ".\($0)" })
    }

    @Test(arguments: [
        "", ".", "Example.COM", "xn--bcher-kva.example", "::1", "[::1]", "127.0.0.1", "a b", "*",
    ])
    func hostInASCIIIsInLowerCase(host: String) {
        #expect(host.asciiHost == host.lowercased())
    }

    // The fourth one is a sample of RFC 3492, but too long for a host name.
    @Test(arguments: [
        String(repeating: "é", count: 64), "a／b", "\u{301}b",
        "세계의모든사람들이한국어를이해한다면얼마나좋을까",
    ])
    func invalidLabelIsUnchanged(label: String) {
        #expect("www.\(label)".asciiHost == "www.\(label)")
    }
}
