/// The form of a value's text, regardless of its name.
package struct ValueShape {
    private let text: [UInt8]
    private var letters = 0
    private var digits = 0
    /// The number of times that the kind of character changes, except from capital to small letter.
    private var changes = 0
    private var longestConsonants = 0
    private var vowels = 0
    private var kinds: (lower: Bool, upper: Bool) = (false, false)
    /// Whether the text has only characters that tokens use.
    private var isToken = true

    /// The number of bytes to examine, which are enough to judge a longer text.
    static let limit = 512

    package init(_ text: [UInt8]) {
        self.text = text
        var (previous, consonants) = (UInt8(0), 0)
        for byte in text.prefix(Self.limit) {
            let kind = byte.kind
            switch kind {
            case UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "a"): (letters, kinds.lower) = (letters + 1, true)
            case UInt8(ascii: "A"): (letters, kinds.upper) = (letters + 1, true)
            default:
                guard Self.tokenMarks.contains(byte) else {
                    isToken = false
                    return
                }
            }
            let isCapitalized = previous == UInt8(ascii: "A") && kind == UInt8(ascii: "a")
            if kind != previous, kind != 0, previous != 0, !isCapitalized { changes += 1 }
            if kind == UInt8(ascii: "a") || kind == UInt8(ascii: "A") {
                let isVowel = Self.vowels.contains(byte)
                vowels += isVowel ? 1 : 0
                consonants = isVowel ? 0 : consonants + 1
                longestConsonants = max(longestConsonants, consonants)
            } else {
                consonants = 0
            }
            previous = kind
        }
    }

    /// Whether the text looks random: longer and more mixed than words, dates, enums and codes.
    package var isRandom: Bool {
        guard isToken, !isDate, !isURL, !isAddress else { return false }
        if isUUID || isPlaceholder { return true }
        let count = letters + digits
        guard count >= 8, 2 * count >= min(text.count, Self.limit) else { return false }
        if count >= 10, changes >= 1, longestConsonants >= 5, digits > 0 { return true }
        if digits == 0, text.count == count, count >= 16 {
            // Random letters include few vowels. Names in camel case consist of long words.
            let isMixed = kinds.lower && kinds.upper && 4 * changes >= count
            return isMixed || longestConsonants >= 5 && 10 * vowels <= 3 * count
        }
        let isDense = count <= 4 * (changes + 1)
        let isMixed = kinds.lower && kinds.upper && digits > 0
        return isDense && (changes >= 3 && count >= 10 || changes >= 4 && isMixed)
    }

    /// Whether the text can be an object's identifier, a hash or large content.
    var isIdentifier: Bool {
        if isPlaceholder { return false }
        if isUUID || isHash || text.count < 32 || text.count > 128 { return true }
        // Such as `cus_NffrFeUfNV2Hib` and `chatcmpl-9XyZ`.
        let prefix = text.prefix { $0.kind == UInt8(ascii: "a") }
        let next = text.dropFirst(prefix.count).first
        return prefix.count >= 2 && (next == UInt8(ascii: "_") || next == UInt8(ascii: "-"))
    }

    /// Whether the text stands for a secret in a recording, so that a recorded request is masked
    /// like a live request.
    private var isPlaceholder: Bool {
        if isHash { return text.starts(with: "000000000000000000".utf8) }
        guard text.starts(with: "REDACTED".utf8) else { return false }
        let number = text.dropFirst(8).drop { $0 == UInt8(ascii: "-") }
        return !number.isEmpty && number.allSatisfy(ByteSet.digits.contains)
    }

    /// Whether the text is a UUID.
    package var isUUID: Bool {
        text.count == 36
            && text.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index)
                    ? byte == UInt8(ascii: "-")
                    : ByteSet.hexDigits.contains(byte)
            }
    }

    /// Whether the text is a hash in hexadecimal digits.
    package var isHash: Bool {
        [24, 32, 40, 48, 56, 64, 96, 128].contains(text.count)
            && text.allSatisfy(ByteSet.hexDigits.contains)
    }

    /// Whether the text has four to eight digits, and nothing else but a space in their middle.
    var isShortDigits: Bool {
        guard text.count <= 9 else { return false }
        let middle = text.count / 2
        let hasSpace = text.count > 4 && text[middle] == UInt8(ascii: " ")
        let code = hasSpace ? text[..<middle] + text[(middle + 1)...] : text[...]
        return (4...8).contains(code.count) && code.allSatisfy(ByteSet.digits.contains)
    }

    /// Whether the text starts with an ISO 8601 or HTTP date, or is a time or a duration.
    package var isDate: Bool {
        let start = text.prefix(10)
        let digits = start.map { ByteSet.digits.contains($0) ? UInt8(ascii: "0") : $0 }
        if digits == Array("0000-00-00".utf8) || digits == Array("00:00:00".utf8) { return true }
        if text.first == UInt8(ascii: "P"), text.count < 32 {
            return text.dropFirst().allSatisfy("0123456789YMWDTHS.".utf8.contains)
        }
        return text.count > 4 && text[3] == UInt8(ascii: ",") && text[4] == 0x20
    }

    var isURL: Bool {
        let scheme = text.prefix(16).prefix { $0 != UInt8(ascii: ":") }
        return text.hasText("://", at: scheme.count)
            && scheme.allSatisfy { $0.kind == UInt8(ascii: "a") }
    }

    /// Whether the text is an email address.
    private var isAddress: Bool {
        text.firstIndex(of: UInt8(ascii: "@")).map {
            $0 > 0 && text[$0...].contains(UInt8(ascii: "."))
        } ?? false
    }

    /// Whether the text is a label, a message or a setting, such as `Enter your key`.
    var isInterfaceText: Bool {
        guard (4..<400).contains(text.count) else { return false }
        let string = String(decoding: text, as: UTF8.self)
        if Self.settings.contains(string.lowercased()) { return true }
        let isText = string.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || " .,:;!?'’()-…".unicodeScalars.contains($0)
        }
        guard isText, string.unicodeScalars.first?.properties.isUppercase == true else {
            return false
        }
        return string.split(separator: " ").allSatisfy { word in
            word.unicodeScalars.dropFirst().allSatisfy { !$0.properties.isUppercase }
        }
    }

    private static let settings: Set = [
        "true", "false", "none", "null", "required", "optional",
        "enabled", "disabled", "valid", "invalid", "missing", "expired", "active", "inactive",
        "pending", "present", "unknown",
    ]
    private static let tokenMarks = ByteSet("-_.~+/=:|%$!@#")
    private static let vowels = ByteSet("aeiouyAEIOUY")
}

extension UInt8 {
    /// `9` for a digit, `a` for a small letter, `A` for a capital letter, and otherwise zero.
    fileprivate var kind: UInt8 {
        switch self {
        case 0x30...0x39: UInt8(ascii: "9")
        case 0x41...0x5A: UInt8(ascii: "A")
        case 0x61...0x7A: UInt8(ascii: "a")
        default: 0
        }
    }
}
