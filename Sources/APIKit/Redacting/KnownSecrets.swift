/// The secrets that have a recognizable format, in any text and under any name.
struct KnownSecrets {
    /// A kind of secret with a published prefix.
    ///
    /// At least `count` of the characters follow the prefix.
    private typealias Prefix = (text: [UInt8], count: Int, characters: ByteSet)

    let range: Range<Int>
    let bytes: [UInt8]

    /// The known secrets in the range, in order.
    ///
    /// For PEM text, the result is the part between the first and the last line.
    var matches: [FoundSecret] {
        var matches: [FoundSecret] = []
        var index = range.lowerBound
        while true {
            index = bytes.index(of: Self.starts, in: index..<range.upperBound)
            guard index < range.upperBound else { return matches }
            let isStart = index == range.lowerBound || !Self.wordParts.contains(bytes[index - 1])
            if isStart, let (place, name) = match(at: index) {
                matches.append(FoundSecret(place, bytes[place], name: name, isKnown: true))
                index = place.upperBound
            } else {
                index += 1
            }
        }
    }

    private func match(at index: Int) -> (Range<Int>, name: String)? {
        let first = bytes[index]
        if first == UInt8(ascii: "-") { return privateKey(at: index).map { ($0, "PEM") } }
        if isDigit(index), let card = cardNumber(at: index) { return (card, "card number") }
        if bytes.hasText("eyJ", at: index), let token = jsonWebToken(at: index) {
            return (token, "JWT")
        }
        for prefix in Self.byFirstByte[Int(first)] where bytes[index...].starts(with: prefix.text) {
            let start = index + prefix.text.count
            guard start <= range.upperBound else { continue }
            let end = bytes.index(of: prefix.characters.inverted, in: start..<range.upperBound)
            let rest = bytes[start..<end]
            if rest.count >= prefix.count, rest.contains(where: ByteSet.digits.contains) {
                return (index..<end, String(decoding: prefix.text, as: UTF8.self))
            }
        }
        return iban(at: index).map { ($0, "IBAN") }
    }

    /// Returns whether an index is in the range, and has a digit.
    private func isDigit(_ index: Int) -> Bool {
        range.contains(index) && ByteSet.digits.contains(bytes[index])
    }

    /// Finds a token of RFC 7519 or RFC 7516.
    ///
    /// It has three or five parts in base64url, and the first part is a JSON object.
    private func jsonWebToken(at index: Int) -> Range<Int>? {
        let noPart = Self.word.inverted
        var ends = [bytes.index(of: noPart, in: index..<range.upperBound)]
        while let end = ends.last, end < range.upperBound, bytes[end] == UInt8(ascii: "."),
            ends.count < 5
        {
            ends.append(bytes.index(of: noPart, in: (end + 1)..<range.upperBound))
        }
        guard ends.count >= 3, ends[0] - index >= 10, ends[1] - ends[0] > 2 else { return nil }
        return index..<(ends.count == 5 ? ends[4] : ends[2])
    }

    private func privateKey(at index: Int) -> Range<Int>? {
        guard index + 11 <= range.upperBound, bytes.hasText("-----BEGIN ", at: index) else {
            return nil
        }
        let head = bytes.index(of: Self.pemHead.inverted, in: (index + 11)..<range.upperBound)
        guard
            bytes.hasText("PRIVATE KEY-----", at: head - 16)
                || bytes.hasText("PRIVATE KEY BLOCK-----", at: head - 22)
        else { return nil }
        // Line breaks may be escaped, so only the base64 characters show where the key starts and ends.
        var start = head
        while start < range.upperBound, !Self.base64.contains(bytes[start]) {
            start += bytes[start] == UInt8(ascii: "\\") ? 2 : 1
        }
        var end = start
        while end < range.upperBound, !bytes.hasText("-----END", at: end) { end += 1 }
        while end > start,
            !Self.base64.contains(bytes[end - 1]) || bytes[end - 2] == UInt8(ascii: "\\")
        {
            end -= 1
        }
        return start < end ? start..<end : nil
    }

    /// Finds a payment card number by its issuer's digits, its length and its check digit (ISO/IEC
    /// 7812).
    ///
    /// One of ten random numbers has the right check digit, and one of fifty also has an issuer.
    private func cardNumber(at index: Int) -> Range<Int>? {
        var digits: [Int] = []
        var (end, next) = (index, index)
        while next < range.upperBound, digits.count < 20 {
            if isDigit(next) {
                digits.append(Int(bytes[next] - 0x30))
                end = next + 1
            } else if !" -".utf8.contains(bytes[next]) || ![4, 8, 10, 12].contains(digits.count) {
                // The first groups have four digits each, or four and six digits.
                break
            }
            next += 1
        }
        // A longer row of four-digit numbers is a table, not a card number.
        let isGrouped = end - index > digits.count
        if isGrouped, isFourDigits(at: end + 1) || isFourDigits(at: index - 5) { return nil }
        if end < range.upperBound,
            Self.wordParts.contains(bytes[end])
                || bytes[end] == UInt8(ascii: ".") && isDigit(end + 1)
        {
            return nil
        }
        let start = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
        guard Self.issuers[digits.count]?.contains(where: { $0 ~= start }) == true else {
            return nil
        }
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.element * (digit.offset % 2 + 1)
            return sum + value / 10 + value % 10
        }
        return sum % 10 == 0 ? index..<end : nil
    }

    private func isFourDigits(at index: Int) -> Bool {
        (index..<(index + 4)).allSatisfy(isDigit) && !isDigit(index + 4) && !isDigit(index - 1)
    }

    /// The first four digits of the issuers, by the length of the number: American Express, and
    /// then Visa, Mastercard, Discover, UnionPay and JCB.
    private static let issuers: [Int: [ClosedRange<Int>]] = [
        15: [3400...3499, 3700...3799],
        16: [
            4000...4999, 5100...5599, 2221...2720, 6011...6011, 6440...6599, 6200...6299,
            3528...3589,
        ],
    ]

    /// Finds an account number: two country letters, two check digits, and the account (ISO 13616).
    private func iban(at index: Int) -> Range<Int>? {
        guard Self.capitals.contains(bytes[index]), index + 4 < range.upperBound,
            Self.capitals.contains(bytes[index + 1]), isDigit(index + 2), isDigit(index + 3)
        else { return nil }
        var text: [UInt8] = []
        var (end, next) = (nil as Int?, index)
        while text.count <= 34 {
            let byte = next < range.upperBound ? bytes[next] : 0
            if Self.capitals.contains(byte) || ByteSet.digits.contains(byte) {
                text.append(byte)
            } else {
                // A space ends a group of four, or the whole number.
                if !Self.wordParts.contains(byte), bytes[next - 1] != 0x20, Self.isIBAN(text) {
                    end = next
                }
                guard byte == 0x20, text.count % 4 == 0 else { break }
            }
            next += 1
        }
        return end.map { index..<$0 }
    }

    private static func isIBAN(_ text: [UInt8]) -> Bool {
        guard 15...34 ~= text.count else { return false }
        let rest = (text.dropFirst(4) + text.prefix(4)).reduce(0) { rest, byte in
            ByteSet.digits.contains(byte)
                ? (rest * 10 + Int(byte - 0x30)) % 97 : (rest * 100 + Int(byte) - 55) % 97
        }
        return rest == 1
    }

    private static let wordParts = ByteSet.alphanumerics.union("_")
    private static let alphanumeric = ByteSet.alphanumerics
    private static let capitals = ByteSet { 0x41...0x5A ~= $0 }
    private static let word = wordParts.union("-")
    private static let dotted = word.union(".+/=:")
    private static let base64 = alphanumeric.union("+/=")
    private static let pemHead = wordParts.union(" -")

    private static let byFirstByte: [[Prefix]] = prefixes.reduce(
        into: Array(repeating: [], count: 256)
    ) { table, prefix in
        table[Int(prefix.text.first ?? 0)].append(prefix)
    }
    private static let starts = ByteSet {
        !byFirstByte[Int($0)].isEmpty || ByteSet.digits.contains($0) || capitals.contains($0)
            || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "e")
    }

    /// The prefixes that GitHub's and GitLab's secret scanning and the documentation of the
    /// services publish.
    ///
    /// Sources: docs.github.com/code-security/secret-scanning, docs.gitlab.com/security/tokens,
    /// docs.stripe.com/keys, api.slack.com/authentication/token-types,
    /// docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html,
    /// developer.hashicorp.com/vault/docs/concepts/tokens, docs.npmjs.com/about-access-tokens, and
    /// the page of each other service about its keys.
    private static let prefixes: [Prefix] = [
        (alphanumeric, 30, "ghp_ gho_ ghu_ ghs_ ghr_ npm_ hf_ r8_ sbp_ lin_api_ lin_oauth_ gsk_"),
        (word, 20, "github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent-"),
        (word, 10, "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sb_secret_"),
        (word, 10, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.xoxp-1- xapp-"),
        (alphanumeric, 16, "AKIA ASIA"),
        (word, 30, "AIza 1//0 ya29. EAAG EAACEdEose0cBA sq0atp- sq0csp- ATATT3 ATCTT3 ATBB"),
        (word, 20, "GOCSPX- hvs. hvb. hvr. pypi-AgE dckr_pat_ CFPAT- figd_ phx_ nfp_ rnd_"),
        (alphanumeric, 32, "dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ SK key- oy2 pul-"),
        (word, 20, "sk-ant- sk-proj- sk-svcacct- sk-or- pplx- xai- nvapi- tvly- lsv2_pt_ lsv2_sk_"),
        (alphanumeric, 20, "sk-"),
        (dotted, 40, "SG. dp.pt. dp.st. FlyV1 fo1_ sntrys_ sntryu_ glsa_ glc_ ops_ v1.0-"),
        (
            word, 20,
            "tskey- xkeysib- NRAK- PMAK- FLWSECK- rubygems_ pscale_tkn_ pscale_pw_ pat-na1-"
        ),
        (alphanumeric, 40, "ntn_ secret_ AGE-SECRET-KEY-1 patv2. EAA"),
    ].flatMap { characters, count, texts in
        texts.split(separator: " ").map { (Array($0.utf8), count, characters) }
    }
}
