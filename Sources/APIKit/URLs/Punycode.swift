import Foundation

/// The ASCII form of internationalized host names (RFC 3492 and RFC 5891).
///
/// Before macOS 14 and iOS 17, `URL(string:)` returns `nil` for a host with other characters.
package enum Punycode {
    /// Returns a host name with each label in ASCII.
    ///
    /// It first normalizes the characters and maps them to lower case. For rare characters,
    /// Unicode TS 46 prescribes another mapping.
    package static func host(_ name: some StringProtocol) -> String {
        let kept = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(kept)).precomposedStringWithCompatibilityMapping
            .lowercased()
            .precomposedStringWithCompatibilityMapping.unicodeScalars
            .split(omittingEmptySubsequences: false) { $0 == "." || $0 == "\u{3002}" }
            .map(label)
            .joined(separator: ".")
    }

    /// Returns a label in ASCII.
    ///
    /// A label that is too long for a host (RFC 1035) is returned unchanged.
    static func label(_ label: Substring.UnicodeScalarView) -> String {
        guard !label.allSatisfy(\.isASCII), label.count <= 63 else { return String(label) }
        return "xn--" + encode(label.map { Int($0.value) })
    }

    /// Encodes code points (RFC 3492, section 6.3).
    ///
    /// No sum overflows an `Int32`, because a label has at most 63 code points.
    private static func encode(_ points: [Int]) -> String {
        var output = points.filter { $0 < 128 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (delta, bias, handled, next) = (0, 72, basicCount, 128)
        while handled < points.count, let point = points.filter({ $0 >= next }).min() {
            delta += (point - next) * (handled + 1)
            next = point
            for other in points {
                if other < next { delta += 1 }
                guard other == next else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, isFirst: handled == basicCount, count: handled + 1)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns a number as an integer of variable length (section 3.3).
    private static func digits(of delta: Int, bias: Int) -> [UInt8] {
        var (digits, rest, position) = ([UInt8](), delta, 36)
        while true {
            let threshold = min(max(position - bias, 1), 26)
            guard rest >= threshold else { break }
            digits.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            position += 36
        }
        digits.append(digit(rest))
        return digits
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value + 22)
    }

    /// Returns the bias for the next number (section 6.1).
    private static func adapted(_ delta: Int, isFirst: Bool, count: Int) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
