/// The decoder of the content codings gzip (RFC 1952) and deflate (RFC 1950).
///
/// `URLSession` decodes them below a URL protocol, and Foundation on Linux has no function for it.
struct Inflater {
    struct Mistake: Error {}

    private let bytes: [UInt8]
    private var index = 0
    /// The bits of the current byte that are not read.
    private var (rest, restCount) = (0, 0)
    private var output: [UInt8] = []

    /// Returns whether bytes start with the signature of a coding.
    static func recognizes(_ bytes: [UInt8], in coding: String) -> Bool {
        guard bytes.count >= 2 else { return false }
        return coding == "deflate"
            ? bytes[0] & 15 == 8 && (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0
            : bytes[0] == 0x1F && bytes[1] == 0x8B
    }

    /// Returns the content of bytes that ``recognizes(_:in:)`` accepts.
    static func content(of bytes: [UInt8], in coding: String) throws -> [UInt8] {
        var inflater = Inflater(bytes: bytes)
        if coding == "deflate" {
            inflater.index = 2
            try inflater.inflate()
        } else {
            repeat { try inflater.member() } while inflater.index < bytes.count
        }
        return inflater.output
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes a member of a gzip file (RFC 1952, section 2.3).
    private mutating func member() throws {
        guard try next(3) == 0x08_8B1F else { throw Mistake() }
        let flags = try next(1)
        _ = try next(6)
        if flags & 4 != 0 { for _ in 0..<(try next(2)) { _ = try next(1) } }
        for flag in [8, 16] where flags & flag != 0 { while try next(1) != 0 {} }
        if flags & 2 != 0 { _ = try next(2) }
        let start = output.count
        try inflate()
        let (sum, count) = (try next(4), try next(4))
        let content = output[start...]
        guard sum == Self.checksum(of: content), count == content.count & 0xFFFF_FFFF
        else { throw Mistake() }
    }

    /// The CRC-32 of bytes.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> Int {
        ~bytes.reduce(0xFFFF_FFFF) { table[($0 ^ Int($1)) & 255] ^ $0 >> 8 } & 0xFFFF_FFFF
    }

    private static let table = (0..<256).map { byte in
        (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// Returns the next whole bytes as a number.
    private mutating func next(_ count: Int) throws -> Int {
        guard count <= bytes.count - index else { throw Mistake() }
        defer { index += count }
        return bytes[index..<(index + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func bits(_ count: Int) throws -> Int {
        while restCount < count {
            rest |= try next(1) << restCount
            restCount += 8
        }
        defer { (rest, restCount) = (rest >> count, restCount - count) }
        return rest & (1 << count - 1)
    }
}

extension Inflater {
    /// Decodes the blocks of compressed data (RFC 1951, section 3.2.3).
    private mutating func inflate() throws {
        (rest, restCount) = (0, 0)
        while true {
            let isLast = try bits(1) == 1
            switch try bits(2) {
            case 0:
                (rest, restCount) = (0, 0)
                let (count, check) = (try next(2), try next(2))
                guard count == ~check & 0xFFFF, count <= bytes.count - index
                else { throw Mistake() }
                output += bytes[index..<(index + count)]
                index += count
            case 1: try block(Self.fixed, Self.fixedDistances)
            case 2:
                let codes = try codes()
                try block(codes.literals, codes.distances)
            default: throw Mistake()
            }
            if isLast { return }
        }
    }

    /// A Huffman code, by the numbers of its codes of each length (RFC 1951, section 3.2.2).
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        let symbols: [Int]

        init(_ lengths: some Collection<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            symbols = lengths.enumerated().filter { $0.element > 0 }
                .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
        }
    }

    private static let fixed = Code(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))

    private mutating func symbol(_ code: Code) throws -> Int {
        var (value, first, index) = (0, 0, 0)
        for count in code.counts.dropFirst() {
            value |= try bits(1)
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            (first, value) = ((first + count) << 1, value << 1)
        }
        throw Mistake()
    }

    /// Reads the codes of a block (RFC 1951, section 3.2.7).
    private mutating func codes() throws -> (literals: Code, distances: Code) {
        let (literals, distances) = (try bits(5) + 257, try bits(5) + 1)
        var lengths = [Int](repeating: 0, count: 19)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        for symbol in order.prefix(try bits(4) + 4) { lengths[symbol] = try bits(3) }
        let code = Code(lengths)
        lengths = []
        while lengths.count < literals + distances {
            let symbol = try symbol(code)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw Mistake() }
                lengths += [Int](repeating: last, count: try bits(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == literals + distances else { throw Mistake() }
        return (Code(lengths[..<literals]), Code(lengths[literals...].map { $0 }))
    }

    /// Decodes literals, and lengths with distances (RFC 1951, section 3.2.5).
    private mutating func block(_ literals: Code, _ distances: Code) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            let number = symbol - 257
            guard number < 29 else { throw Mistake() }
            var length = number == 28 ? 258 : number + 3
            if (8..<28).contains(number) {
                let extra = number / 4 - 1
                length = (4 + number % 4) << extra + 3 + (try bits(extra))
            }
            let code = try self.symbol(distances)
            guard code < 30 else { throw Mistake() }
            let extra = max(0, code / 2 - 1)
            let distance = code < 4 ? code + 1 : (2 + code % 2) << extra + 1 + (try bits(extra))
            guard distance <= output.count else { throw Mistake() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}
