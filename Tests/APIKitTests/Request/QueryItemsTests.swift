import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct QueryItemsTests {
    @Test func orderOfItemsIsKept() {
        let items: QueryItems = ["z": 1, "a": 2, "m": 3, "z": 4]

        #expect(items.items.map(\.name) == ["z", "a", "m", "z"])
        #expect(items.items.map(\.value) == ["1", "2", "3", "4"])
    }

    @Test func nilIsOmitted() {
        let breed: String? = nil
        let page: Int? = 2
        let items: QueryItems = ["breed": breed, "page": page, "sort": nil]

        #expect(items.items == [URLQueryItem(name: "page", value: "2")])
    }

    @Test func arrayRepeatsItsName() {
        let items: QueryItems = ["id": [3, 1, 2], "none": [String](), "some": [1, nil, 2]]

        #expect(items.items.map(\.name) == ["id", "id", "id", "some", "some"])
        #expect(items.items.map(\.value) == ["3", "1", "2", "1", "2"])
    }

    @Test func pairsKeepTheirOrderAndDictionaryIsInTheOrderOfItsNames() {
        var query = QueryItems([("b", 2), ("a", 1), ("b", 3)])
        let values: [String: String?] = ["y": "2", "x": "1", "z": nil]
        query.append(contentsOf: QueryItems(values))

        #expect(query.items.map(\.description) == ["b=2", "a=1", "b=3", "x=1", "y=2"])
    }

    @Test func appendKeepsEarlierItems() {
        var items: QueryItems = ["a": 1]

        items.append("b", [2, 3])
        items.append("c", nil)

        #expect(items.items.map(\.name) == ["a", "b", "b"])
    }

    @Test(
        arguments: [
            ("text", "text"), ("a,b".suffix(1), "b"), ("", ""), (true, "true"),
            (false, "false"), (-7, "-7"), (Int8.min, "-128"), (Int16.max, "32767"),
            (Int32.min, "-2147483648"), (Int64.max, "9223372036854775807"), (UInt(7), "7"),
            (UInt8.max, "255"), (UInt16.max, "65535"), (UInt32.max, "4294967295"),
            (UInt64.max, "18446744073709551615"), (Float(0.1), "0.1"), (-37.3293, "-37.3293"),
            (1e20, "1e+20"),
            (Decimal(sign: .minus, exponent: -2, significand: 12345), "-123.45"),
            (UUID.example, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
            (Breed.shibaInu, "shiba inu"), (Size.large, "3"), (Int?.some(7), "7"),
        ] as [(any QueryValue & Sendable, String)])
    func valuesOfManyTypesAreSupported(value: any QueryValue & Sendable, expected: String) {
        #expect(value.queryValues == [expected])
    }

    @Test func urlIsSentAsAbsoluteText() throws {
        let url = try #require(URL(string: "dogs?a=b", relativeTo: .make("https://h.example/v1/")))

        let items: QueryItems = ["next": url]

        #expect(items.items.map(\.value) == ["https://h.example/v1/dogs?a=b"])
    }

    @Test(arguments: [
        ("a+b", "a%2Bb"), ("a;b", "a%3Bb"), ("a&b", "a%26b"), ("a=b", "a%3Db"), ("100%", "100%25"),
        ("%26", "%2526"), ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("a b", "a%20b"),
        ("a,b:c@d!$'()*", "a%2Cb%3Ac%40d%21%24%27%28%29%2A"),
        ("[]", "%5B%5D"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("a\r\nb", "a%0D%0Ab"), ("Bärli", "B%C3%A4rli"), ("🐕", "%F0%9F%90%95"),
        ("azAZ09-._~", "azAZ09-._~"), ("", ""),
    ])
    func namesAndValuesAreEncoded(text: String, encoded: String) throws {
        let url = try URLRequest(.get, "dogs", query: [text: text]).url

        #expect(url?.absoluteString == "/dogs?\(encoded)=\(encoded)")
    }
}

private enum Breed: String, QueryValue {
    case shibaInu = "shiba inu"
}

private enum Size: Int, QueryValue {
    case large = 3
}
