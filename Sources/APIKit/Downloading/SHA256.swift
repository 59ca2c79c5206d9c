import Foundation

/// The hash function SHA-256 (FIPS 180-4), which only Apple platforms have in a system library.
enum SHA256 {
    /// Returns the 32-byte digest of a message.
    static func digest(of message: Data) -> Data {
        // A bit of 1, zeros, and the length in bits fill the last block (section 5.1.1).
        var bytes = Array(message) + [0x80]
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        bytes += withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian, Array.init)
        var state = initialState
        for block in stride(from: 0, to: bytes.count, by: 64) {
            add(bytes[block..<block + 64], to: &state)
        }
        return Data(state.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
    }

    /// Adds a block to the state (section 6.2.2).
    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            if index >= 16 {
                let (early, late) = (words[index - 15], words[index - 2])
                let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
                let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
                words.append(words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1)
            }
            let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ (a & b ^ a & c ^ b & c))
        }
        state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    // The standard takes its constants from the roots of the first primes (sections 4.2.2, 5.3.3).
    private static let initialState = primes.prefix(8).map { fraction(of: $0.squareRoot()) }
    private static let constants = primes.map { fraction(of: cbrt($0)) }
    private static let primes = (2...311)
        .filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }.map(Double.init)

    /// Returns the first 32 bits of a number's fraction.
    private static func fraction(of number: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt64(number * 0x1p32))
    }
}
