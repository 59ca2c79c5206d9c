import Foundation
import Testing

@testable import APIKit

/// Properties of header fields, tested with random values.
@Suite(.inTurn) struct FieldLawTests {
    private static let formats = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
        "EEE MMM d HH:mm:ss yyyy",
    ]

    private func text(of date: Date, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    @Test(arguments: formats)
    func datesOfEachFormatAreParsed(format: String) {
        var random = SeededGenerator(seed: 9110)
        for _ in 0..<Stress.count(500) {
            let date = Date(
                timeIntervalSince1970: Double(
                    Int.random(in: 950_000_000...2_200_000_000, using: &random)))

            #expect(HTTPDate.parse(text(of: date, format)) == date)
        }
    }

    @Test(arguments: [
        "Sat, 31 Dec 2016 23:59:60 GMT", "Saturday, 31-Dec-16 23:59:60 GMT",
        "Sat Dec 31 23:59:60 2016",
    ])
    func leapSecondIsTheSecondAfterItsMinute(text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 1_483_228_800))
    }

    @Test func retryDelayIsNeverNegative() throws {
        var random = SeededGenerator(seed: 9110)
        let now = Date(timeIntervalSince1970: 1_500_000_000)
        let date = "Fri, 14 Jul 2017 02:40:00 GMT"
        let parts = ["0", "1", "99", "-", "+", ".", " ", "e9", "٣", "Mon Jan 1 00:00:00 ", "GMT"]
        let extremes = [
            "Mon Jan 1 00:00:00 99999999999999999999", "Mon Jan 1 00:00:00 -999999999",
            String(repeating: "9", count: 400), "9223372036854775807", "9223372036854775808",
        ]
        let garbled =
            (0..<Stress.count(1_000)).map { _ in date.garbled(using: &random) }
            + (0..<Stress.count(1_000)).map { _ in .random(of: parts, using: &random) } + extremes
        for text in garbled {
            let response = try HTTPURLResponse.make(503, headers: ["Retry-After": text])

            let delay = response.retryDelay(from: now)

            #expect(delay.map { $0 >= .zero } ?? true, "\(text)")
        }
    }

    @Test func onlyValidContentRangesAreParsed() throws {
        var random = SeededGenerator(seed: 9110)
        for _ in 0..<Stress.count(2_000) {
            let first = Int.random(in: 0...100, using: &random)
            let last = Int.random(in: 0...100, using: &random)
            let total = Bool.random(using: &random) ? Int.random(in: 0...100, using: &random) : nil
            let text = "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"

            let range = try ContentRange(.make(206, headers: ["Content-Range": text]))

            if first <= last, total.map({ last < $0 }) ?? true {
                #expect(range?.first == first && range?.last == last && range?.total == total)
            } else {
                #expect(range == nil, "\(text)")
            }
            let garbled = text.garbled(using: &random)
            if let range = try ContentRange(.make(206, headers: ["Content-Range": garbled])) {
                #expect(0 <= range.first && range.first <= range.last, "\(garbled)")
                #expect(range.total.map { range.last < $0 } ?? true, "\(garbled)")
            }
        }
    }

    @Test(arguments: [
        ("5, 5", "5"), ("5,5", "5"), ("5 ,\t5, 5", "5"), ("5, 6", "5, 6"), ("5, 5, 6", "5, 5, 6"),
        ("a", "a"), ("", ""), (",", ""), ("a,", "a,"), ("a,b", "a,b"), ("a, b, a, b", "a, b"),
        ("Tue, 01 Sep 2026 10:00:00 GMT", "Tue, 01 Sep 2026 10:00:00 GMT"),
        (
            "Tue, 01 Sep 2026 10:00:00 GMT, Tue, 01 Sep 2026 10:00:00 GMT",
            "Tue, 01 Sep 2026 10:00:00 GMT"
        ),
        (#"a;b="c, d", a;b="c, d""#, #"a;b="c, d""#), (#""x,x""#, #""x,x""#),
    ])
    func repeatedValueCountsOnce(field: String, value: String) {
        #expect(field.asSingleValue == value)
    }

    @Test func repeatedFieldsAreUnderstood() throws {
        let date = "Tue, 01 Sep 2026 10:00:00 GMT"
        let response = try HTTPURLResponse.make(
            503,
            headers: [
                "Content-Type": "Text/Plain; charset=x, Text/Plain; charset=x",
                "Content-Length": "5, 5", "Content-Encoding": "identity, Identity",
                "Retry-After": "Tue, 01 Sep 2026 10:00:02 GMT, Tue, 01 Sep 2026 10:00:02 GMT",
                "Date": "\(date), \(date)", "ETag": "\"a,b\", \"a,b\"",
                "Content-Range": "bytes 0-4/9, bytes 0-4/9",
            ])

        #expect(response.mediaType == "text/plain")
        #expect(response.charset == "x")
        #expect(response.isIdentity)
        #expect(response.bodyLength == 5)
        #expect(response.retryDelay(from: .distantPast) == .seconds(2))
        #expect(response.strongValidator == "\"a,b\"")
        #expect(ContentRange(response)?.total == 9)
        #expect(FieldReader.isText("application/json, application/json"))
        #expect(!FieldReader.isText("image/png, image/png"))
    }

    @Test func whiteSpaceAfterAValueIsNoPartOfIt() throws {
        let response = try HTTPURLResponse.make(
            headers: [
                "Content-Length": "5 ", "ETag": "\"1\"\t", "Retry-After": "7 ",
                "Content-Range": "bytes 0-4/9 ",
            ])

        #expect(response.bodyLength == 5)
        #expect(response.strongValidator == "\"1\"")
        #expect(response.retryDelay(from: .distantPast) == .seconds(7))
        #expect(ContentRange(response)?.total == 9)
    }

    @Test func wordsOfListAreTrimmedAndLowercased() {
        var random = SeededGenerator(seed: 9110)
        for _ in 0..<Stress.count(2_000) {
            let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                String.random(of: ["a", "z", "-", "9", "*"], 1...4, using: &random)
            }
            let fields = words.map { word in
                let space = String.random(of: [" ", "\t"], 0...2, using: &random)
                return space + (Bool.random(using: &random) ? word.uppercased() : word) + space
            }

            #expect(FieldReader.words(of: fields.joined(separator: ",")) == words)
        }
    }
}
