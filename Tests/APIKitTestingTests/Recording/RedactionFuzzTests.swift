import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Properties of recordings with secrets in random places.
@Suite struct RedactionFuzzTests {
    /// The texts of entries, one after the other.
    private func texts(of entries: [HAREntry]) -> Data {
        var texts = Data()
        for entry in entries {
            texts += Data(entry.request.url.utf8)
            for field in entry.request.headers + entry.response.headers {
                texts += Data("\n\(field.name): \(field.value)\n".utf8)
            }
            texts += entry.request.body + Data("\n".utf8) + entry.response.body
        }
        return texts
    }

    @Test func plantedSecretIsNeverInFile() throws {
        var random = SeededGenerator(seed: 18)
        for round in 0..<1_000 {
            let plan = Plan(hasUnnamedPlaces: true, using: &random)
            let secrets = (0..<3).map { Plan.secret($0, using: &random) }
            var table = SecretTable(after: [])

            let entries = table.redact(plan.entries(secrets), by: .secrets)

            let file = HARFile(entries: entries).data
            let left = plan.usedSecrets.map { secrets[$0] }.flatMap(Plan.spellings).first {
                file.range(of: Data($0.utf8)) != nil
            }
            if let left {
                let leak = table.leak(in: HARFile(entries: entries), data: file)
                #expect(leak?.hasPrefix("Entry") == true, "round \(round): \(left)")
            }
        }
    }

    @Test func restOfRecordingIsUnchanged() throws {
        var random = SeededGenerator(seed: 19)
        for round in 0..<1_000 {
            let plan = Plan(hasUnnamedPlaces: false, using: &random)
            var table = SecretTable(after: [])

            let entries = table.redact(
                plan.entries((0..<3).map { Plan.secret($0, using: &random) }), by: .secrets)

            #expect(
                normalized(texts(of: entries)) == normalized(texts(of: plan.entries(nil))),
                "round \(round)")
        }
    }

    @Test func redactedRecordingStaysTheSame() throws {
        var random = SeededGenerator(seed: 20)
        for round in 0..<500 {
            let plan = Plan(hasUnnamedPlaces: true, using: &random)
            var table = SecretTable(after: [])
            let entries = table.redact(
                plan.entries((0..<3).map { Plan.secret($0, using: &random) }), by: .secrets)

            var again = SecretTable(after: [])
            var later = SecretTable(after: entries)

            // A number in new entries may be a secret.
            let texts = normalized(texts(of: again.redact(entries, by: .secrets)))
            #expect(texts == normalized(self.texts(of: entries)), "round \(round)")
            #expect(later.redact(entries, by: .secrets) == entries, "round \(round)")
        }
    }

    @Test func maskedRequestDoesNotDependOnSecrets() throws {
        var random = SeededGenerator(seed: 21)
        for round in 0..<1_000 {
            let plan = Plan(hasUnnamedPlaces: false, using: &random)
            let entries = plan.entries((0..<3).map { Plan.secret($0, using: &random) })
            let others = plan.entries((0..<3).map { Plan.secret($0, using: &random) })
            var table = SecretTable(after: [])
            let recorded = table.redact(entries, by: .secrets)

            for index in entries.indices {
                let keys = [entries, others, recorded].map {
                    $0[index].request.redacted(by: .secrets) { _ in "***" }
                }
                #expect(keys[0] == keys[1], "round \(round)")
                #expect(keys[0] == keys[2], "round \(round)")
            }
        }
    }

    private func normalized(_ file: Data) -> String {
        String(decoding: file, as: UTF8.self)
            .replacing(/REDACTED-\d+/, with: "REDACTED")
            .replacing(/"pin":\d+/, with: "\"pin\":0")
    }
}

/// The places of secrets in an exchange, which are filled with secrets later.
private struct Plan {
    /// A text with a place for the secret of a number.
    private struct Place {
        let before: String
        let secret: Int
        let encode: @Sendable (String) -> String
        let after: String

        func text(_ secrets: [String]?) -> String {
            before + (secrets.map { encode($0[secret]) } ?? "REDACTED-1") + after
        }
    }

    private var url: [Place] = []
    private var requestHeaders: [(name: String, place: Place)] = []
    private var responseHeaders: [(name: String, place: Place)] = []
    private var requestType = ""
    private var requestBody: [Place] = []
    private var responseType = ""
    private var responseBody: [Place] = []
    private var pin: Int?
    private(set) var usedSecrets: Set<Int> = []

    /// The first secret is a token, the second has reserved characters, and the third is any text.
    static func secret(_ kind: Int, using random: inout SeededGenerator) -> String {
        let parts = [
            ["a", "Z", "9", "x7", "-", "_", "."], ["a", "+", "/", "=", "%", "&", "Q", "q1", ":"],
            ["é", "🐕", "\"", "\\", " ", "<", "a", "'", "K", "\n", ";", ","],
        ][kind]
        // The start makes it unique.
        return ["tok", "res", "any"][kind] + String(Int.random(in: 1_000...9_999, using: &random))
            + .random(of: parts, 4...20, using: &random) + "x"
    }

    static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    static func json(_ text: String) -> String {
        // Encoding a string never fails.
        let data = (try? JSONEncoder().encode(text)) ?? Data()
        return String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    static func markup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;")
    }

    /// The spellings of a secret in which nothing else may contain it.
    static func spellings(of secret: String) -> [String] {
        let lowercased = percent(secret).replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
        let aligned = (0..<3).map { count in
            let bytes = Data(repeating: 0, count: count) + Data(secret.utf8)
            let start = count == 0 ? 0 : count + 1
            let text = bytes.base64EncodedString().replacing("=", with: "").dropLast(1)
            return String(text.dropFirst(start))
        }
        let urls = aligned.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        return [
            secret, percent(secret), lowercased, percent(secret).replacing("%20", with: "+"),
            json(secret), json(secret).replacing("\\/", with: "/"), json(json(secret)),
        ] + aligned + urls
    }

    init(hasUnnamedPlaces: Bool, using random: inout SeededGenerator) {
        url.append(
            Place(before: "https://h.example/a/b", secret: 0, encode: { _ in "" }, after: ""))
        url.removeAll()
        func add(
            _ kind: Int, _ before: String, _ after: String = "",
            _ encode: @escaping @Sendable (String) -> String = { $0 }
        ) -> Place {
            Place(before: before, secret: kind, encode: encode, after: after)
        }
        var places: [(inout Plan) -> Void] = []
        let any = Int.random(in: 0...2, using: &random)
        let urls = [
            add(any, "?page=1&access_token=", "&q=%2f+a", Self.percent),
            add(any, "?to=%2Fcb%3fsig%3D", "%26page%3d2") { Self.percent(Self.percent($0)) },
            add(any, "#token=", "&a=b", Self.percent),
            add(any, "?f=%7b%22key%22:%22", "%22,%22a%22:1%7d") { Self.percent(Self.json($0)) },
            add(any, ";sid=", "/c", Self.percent),
        ]
        let headers: [(String, Place)] = [
            ("Authorization", add(0, "Bearer ")), ("Authorization", add(0, "Token token=\"", "\"")),
            ("Authorization", add(1, "Digest realm=\"a\", nonce=\"", "\", qop=auth", Self.percent)),
            ("Cookie", add(any, "sid=", "; theme=", Self.percent)), ("X-Api-Key", add(0, "")),
            ("Referer", add(any, "https://h.example/?key=", "&a=1", Self.percent)),
            ("X-Args", add(any, #"{"a":"\u00e9","token":""#, #"","b":2}"#, Self.json)),
        ]
        let answers: [(String, Place)] = [
            (
                "Set-Cookie",
                add(any, "sid=", "; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT", Self.percent)
            ),
            ("Location", add(any, "/next?code=", "#top", Self.percent)),
            ("Link", add(any, "</a?key=", ">; rel=\"next\"", Self.percent)),
        ]
        let start = "--b\r\nContent-Disposition: form-data; name="
        let bodies: [(String, Place)] = [
            (
                "application/json",
                add(any, #"{"a":[1.50,"\/"],"password" : ""#, #"","b":null}"#, Self.json)
            ),
            (
                "application/json",
                add(any, #"{"credentials":{"x":[""#, #"",true]},"b":"c"}"#, Self.json)
            ),
            (
                "application/json",
                add(any, #"{"s":"{\"token\":\""#, #"\",\"u\":\"\\u00e9\"}"}"#) {
                    Self.json(Self.json($0))
                }
            ),
            (
                "application/json",
                add(any, #"{"next":"https:\/\/h\/?key="#, #"&a=\u0026"}"#, Self.percent)
            ),
            ("application/json", add(any, ")]}',\n{\"token\":\"", "\"}", Self.json)),
            ("application/x-ndjson", add(any, "{\"a\":1}\n{\"key\":\"", "\"}\n", Self.json)),
            (
                "application/x-www-form-urlencoded",
                add(any, "a=%2f+b&client_secret=", "&c=d", Self.percent)
            ),
            (
                "application/x-www-form-urlencoded",
                add(any, "password=", "&c=d") { Self.percent($0).replacing("%20", with: "+") }
            ),
            (
                "multipart/form-data; boundary=b",
                add(any, "\(start)\"a\"\r\n\r\nb\r\n\(start)\"password\"\r\n\r\n", "\r\n--b--\r\n")
            ),
            (
                "text/event-stream",
                add(
                    any, "event: x\ndata: {\"token\":\ndata: \"", "\"}\n\ndata: [DONE]\n\n",
                    Self.json)
            ),
            (
                "text/html",
                add(
                    any, "<p>a</p><input name=\"csrf_token\" value=\"",
                    "\"><script>if(a<b){}</script>", Self.markup)
            ),
            ("text/html", add(any, "<meta name='csrf-token' content=\"", "\">", Self.markup)),
            (
                "application/xml",
                add(any, "<a><accessToken>", "</accessToken><b>c</b></a>", Self.markup)
            ),
            ("text/javascript", add(any, "var a=b;var token=\"", "\";key=c", Self.json)),
            ("text/plain", add(0, "a: b\napi_key = ", "\nc: d")),
            ("text/plain", add(any, "see https://h/?token=", " and /b", Self.percent)),
        ]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: url = urls.randomElement(using: &random).map { [$0] } ?? []
            case 1: requestHeaders += headers.randomElement(using: &random).map { [$0] } ?? []
            case 2: responseHeaders += answers.randomElement(using: &random).map { [$0] } ?? []
            case 3:
                if let body = bodies.randomElement(using: &random) {
                    (requestType, requestBody) = (body.0, [body.1])
                }
            case 4:
                if let body = bodies.randomElement(using: &random) {
                    (responseType, responseBody) = (body.0, [body.1])
                }
            default: pin = Int.random(in: 0...999_999_999, using: &random)
            }
        }
        usedSecrets = Set(
            (url + requestBody + responseBody + (requestHeaders + responseHeaders).map(\.place))
                .map(\.secret))
        guard hasUnnamedPlaces, let secret = usedSecrets.sorted().randomElement(using: &random)
        else {
            return
        }
        _ = places
        places = []
        let encodings: [@Sendable (String) -> String] = [
            Self.percent, Self.json, Self.base64, { $0 }, { Self.json(Self.percent($0)) },
            { Self.base64("\($0):") }, { Self.base64("{\"a\":\"b\",\"c\":\"\($0)\"}") },
            { "e30.\(Self.base64("{\"sub\":\"\($0)\"}").replacing("=", with: "")).c2ln" },
        ]
        let encode = encodings.randomElement(using: &random) ?? { $0 }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: requestHeaders.append(("X-Trace", add(secret, "a ", " b", encode)))
        case 1 where url.isEmpty: url = [add(secret, "/", "/c") { Self.percent(encode($0)) }]
        default: responseHeaders.append(("X-Echo", add(secret, "a ", " b", encode)))
        }
    }

    /// The entries with secrets, or with placeholders.
    func entries(_ secrets: [String]?) -> [HAREntry] {
        func fields(_ places: [(name: String, place: Place)], _ type: String) -> [HAREntry.Field] {
            places.map { HAREntry.Field(name: $0.name, value: $0.place.text(secrets)) }
                + (type.isEmpty ? [] : [HAREntry.Field(name: "Content-Type", value: type)])
        }
        func text(_ places: [Place]) -> String { places.map { $0.text(secrets) }.joined() }
        let first = HAREntry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAREntry.Request(
                method: "POST", url: "https://h.example/a" + text(url),
                headers: fields(requestHeaders, requestType), body: Data(text(requestBody).utf8)),
            response: HAREntry.Response(
                status: 200, headers: fields(responseHeaders, responseType),
                body: Data(text(responseBody).utf8)))
        guard let pin else { return [first] }
        let body = Data("{\"a\":1,\"pin\":\(secrets == nil ? 0 : pin)}".utf8)
        let second = HAREntry(
            startedAt: Date(timeIntervalSince1970: 1),
            request: HAREntry.Request(method: "POST", url: "https://h.example/p", body: body),
            response: HAREntry.Response(status: 200))
        return [first, second]
    }
}
