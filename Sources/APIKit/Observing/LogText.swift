import Foundation

extension Int {
    /// The number with a comma after each group of thousands.
    var grouped: String {
        let digits = Array(String(self))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digits[index])
        }
    }

    /// The number as a size in bytes.
    var byteCount: String { "\(grouped) \(self == 1 ? "byte" : "bytes")" }
}

extension Duration {
    /// The duration in milliseconds, or, from one second on, in seconds with one decimal place.
    var rounded: String {
        // Clamped to some 30,000 years, because the conversion of a larger number traps.
        let milliseconds = Int(max(-1e15, min((self / .milliseconds(1)).rounded(), 1e15)))
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\((tenths / 10).grouped).\(tenths % 10) s"
    }
}
