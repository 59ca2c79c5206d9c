import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A place of a request where a text can be JSON.
enum JSONPlace: CaseIterable, Sendable {
    case body, bodyOfAnotherType, part, queryItem, formField

    /// The name of the JSON in a failure.
    var name: String {
        switch self {
        case .body, .bodyOfAnotherType: "json"
        case .part: "part.data.body"
        case .queryItem: "query.data"
        case .formField: "form.data"
        }
    }

    /// Returns a request with a JSON text at the place.
    func request(_ json: String, named name: String = "data") -> URLRequest {
        let text = json.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        let item = "\(name)=\(text ?? "")"
        let (type, body) =
            switch self {
            case .body: ("application/json-rpc", json)
            case .bodyOfAnotherType: ("application/x-amz-json-1.1", json)
            case .part: ("multipart/form-data; boundary=b", Self.part(json, named: name))
            case .queryItem: ("text/plain", "")
            case .formField: ("application/x-www-form-urlencoded", item)
            }
        return .make(
            "POST", self == .queryItem ? "/?\(item)" : "/", headers: ["Content-Type": type],
            body: Data(body.utf8))
    }

    func entry(_ json: String) -> RecordedExchange {
        let request = request(json)
        return .make(
            "POST", request.url?.absoluteString ?? "", headers: request.allHTTPHeaderFields ?? [:],
            body: String(decoding: request.httpBody ?? Data(), as: UTF8.self), reply: "ok",
            startedAt: Date())
    }

    static func part(
        _ text: String, named name: String = "data", _ fields: String = ""
    ) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(fields)\r\n\r\n\(text)\r\n--b--\r\n"
    }
}

/// JSON is compared by its meaning in each of the places, because an encoder writes the members in
/// another order in each process.
@Suite(.inTurn) struct JSONPlaceTests: ReplayingRequests {
    static let form = "application/x-www-form-urlencoded"
    static let parts = "multipart/form-data; boundary=b"

    @Test(arguments: JSONPlace.allCases)
    func orderOfMembersDoesNotMatter(place: JSONPlace) throws {
        let entry = place.entry(#"{"a":1,"b":[true,1.0]}"#)

        #expect(key(entry) == key(place.entry(#" {"b": [true, 1], "a": 1}"#)))
        #expect(key(entry) != key(place.entry(#"{"b":[1,true],"a":1}"#)))
        #expect(key(entry) != key(place.entry(#"{"a":1,"b":[true,1],"c":null}"#)))
        #expect(key(place.entry("[1.0]")) == key(place.entry("[1]")))
        #expect(key(place.entry("1.0")) != key(place.entry("1")))
    }

    @Test(arguments: JSONPlace.allCases)
    func ignoredMemberDoesNotMatter(place: JSONPlace) {
        let first = place.entry(#"{"a":{"ts":1}}"#)
        let second = place.entry(#"{"a":{"ts":2},"ts":3}"#)
        let components: [Cassette.Component] = [.url, .body]

        #expect(key(first, components) != key(second, components))
        #expect(
            key(first, components + [.ignoring("ts")])
                == key(second, components + [.ignoring("ts")]))
    }

    @Test(arguments: JSONPlace.allCases)
    func differenceNamesTheMemberAndShowsNoSecret(place: JSONPlace) async throws {
        let server = MockServer()
        let type = AnyRequest { place.request(#"{"a":[1,{"b.c":2}],"n":{"pwd":["one"]}}"#) }
        server.on(.request(type), reply: .status(200))

        let message = try #require(
            await server.miss(place.request(#"{"n":{"pwd":["two"]},"a":[1,{"b.c":3}]}"#)))

        #expect(
            message.hasSuffix(
                """

                  - \(place.name).a[1]["b.c"]: expected 2, got 3
                  - \(place.name).n.pwd[0]: expected "one", got "***"
                """), "\(message)")
    }

    @Test(arguments: [
        (JSONPlace.part, "part.token.body"), (.queryItem, "query.token"),
        (.formField, "form.token"),
    ])
    func elementOfASecretArrayIsShownMasked(place: JSONPlace, name: String) async throws {
        @Sendable func request(_ json: String) -> URLRequest { place.request(json, named: "token") }
        let server = MockServer()
        server.on(.request(AnyRequest { request("[\"a\"]") }), reply: .status(200))

        let message = await server.miss(request("[\"q8Zt3kLw9Xv2Rb7Nc1Ym\"]"))

        #expect(message?.hasSuffix("- \(name)[0]: expected \"a\", got \"***\"") == true)
    }

    @Test(arguments: JSONPlace.allCases)
    func secretIsMaskedInTheFileAndReplays(place: JSONPlace) async throws {
        func json(_ secret: String, _ pin: Int, _ id: Int, swaps: Bool = false) -> String {
            let members = [#""token":["\#(secret)"]"#, #""pin":\#(pin)"#, #""id":\#(id)"#]
            return "{\((swaps ? members.reversed() : members).joined(separator: ","))}"
        }
        let (folder, secret) = (try RecordingFolder(), "q8Zt3kLw9Xv2Rb7Nc1Ym")
        #expect(folder.open(folder.cassette()).write([place.entry(json(secret, 48_151, 1))]) == nil)
        let text = try #require(folder.text())
        #expect(!text.contains(secret) && !text.contains("48151"))
        let server = folder.server(replaying: folder.cassette(mode: .none))

        #expect(try await server.status(place.request(json("other", 7, 1, swaps: true))) == 200)
        await server.error(of: place.request(json(secret, 48_151, 2)))
    }

    @Test(arguments: [JSONPlace.part, .queryItem, .formField])
    func wholeJSONCanBeASecret(place: JSONPlace) async throws {
        let (folder, rule) = (try RecordingFolder(), Redaction.secrets.adding(values: ["data"]))
        func cassette(_ mode: Cassette.Mode) -> Cassette {
            folder.moved(Cassette("users", mode: mode, redacting: rule))
        }
        #expect(folder.open(cassette(.once)).write([place.entry(#"{"city":"Bern"}"#)]) == nil)
        #expect(folder.text()?.contains("Bern") == false)
        let server = folder.server(replaying: cassette(.none))

        #expect(try await server.status(place.request(#"{"city":"Basel","n":1}"#)) == 200)
    }

    @Test(arguments: JSONPlace.allCases)
    func requestTypeMatchesEachOfItsRequests(place: JSONPlace) async throws {
        let texts = [#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#]
        let server = MockServer()
        let type = AnyRequest { try place.request(#require(texts.first)) }
        server.on(.request(type), reply: .status(200), times: .anyNumber)

        for text in texts { #expect(try await server.status(place.request(text)) == 200) }
        let message = await server.miss(place.request(#"{"b":2,"a":3}"#))
        #expect(message?.contains("\n  - \(place.name).a: expected 1, got 3") == true)
    }

    @Test func conditionsCompareTheTexts() async throws {
        let text = #"{"b":1, "a":2}"#
        let patterns: [(JSONPlace, RequestPattern)] = [
            (.queryItem, .any.query("data", text)), (.formField, .any.form("data", text)),
            (.part, .any.part("data", body: "\(text)")),
            (.queryItem, .request(AnyRequest { .make("POST", "/") }).query("data", .any)),
        ]
        for (place, pattern) in patterns {
            let server = MockServer(unhandled: .reply(.status(404)))
            server.on(pattern, reply: .status(200), times: .anyNumber)
            var request = place.request(text)
            if place == .queryItem { request.httpBody = nil }

            #expect(try await server.status(request) == 200, "\(pattern)")
        }
    }

    @Test(arguments: [
        // A body and a part that are declared to be text.
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, "text/plain; charset=utf-8"),
        (
            JSONPlace.part(#"{"a":1,"b":2}"#, "\r\nContent-Type: text/plain"),
            JSONPlace.part(#"{"b":2,"a":1}"#, "\r\nContent-Type: text/plain"), parts
        ),
        // Parts without names, lines of JSON, and JSON in a string of JSON.
        (
            "--b\r\n\r\n[1]\r\n--b--\r\n", "--b\r\n\r\n[1.0]\r\n--b--\r\n",
            "multipart/related; boundary=b"
        ),
        ("[1]\n[2]", "[1.0]\n[2]", "application/x-ndjson"),
        (#"{"a":"[1]"}"#, #"{"a":"[1.0]"}"#, "application/json"),
        // The members of several texts with a name must not mix.
        (
            #"a={"x":1,"y":2}&a={"x":3,"y":4}"#, #"a={"x":1,"y":4}&a={"x":3,"y":2}"#, form
        ),
    ])
    func anyOtherTextIsComparedByItsBytes(first: String, second: String, type: String) {
        #expect(key(post(first, type)) == key(post(first, type)))
        #expect(key(post(first, type)) != key(post(second, type)))
    }

    @Test func cookieIsNoJSON() {
        let cassette = Cassette("a", matching: [.header("Cookie")], redacting: .nothing)
        let keys = [#"a={"b":1}"#, #"a={"b":1.0}"#].map {
            ReplayKeys(of: [], [], for: cassette)
                .key(of: RecordedExchange.make(headers: ["Cookie": $0]).request)
        }

        #expect(Set(keys).count == 2)
    }
}
