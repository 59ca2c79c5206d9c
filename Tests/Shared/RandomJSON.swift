import Foundation

/// A random JSON value.
indirect enum RandomJSON: Encodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case decimal(Double)
    case string(String)
    case array([RandomJSON])
    case object([String: RandomJSON])

    /// Makes a random value whose members have some of the names.
    init(depth: Int = 3, names: [String] = Self.names, using random: inout SeededGenerator) {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 9), using: &random) {
        case 0: self = .null
        case 1: self = .bool(.random(using: &random))
        case 2: self = .integer(.random(in: -1_000_000_000...1_000_000_000, using: &random))
        case 3: self = .decimal(Double(Int.random(in: -9999...9999, using: &random)) / 8)
        case 4: self = .string(.random(of: Self.texts, using: &random))
        case 5, 6:
            self = .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    RandomJSON(depth: depth - 1, names: names, using: &random)
                })
        default:
            self = .object(
                (0..<Int.random(in: 0...4, using: &random)).reduce(into: [:]) { members, _ in
                    members[names.randomElement(using: &random) ?? ""] = RandomJSON(
                        depth: depth - 1, names: names, using: &random)
                })
        }
    }

    static let names = ["a", "b", "id", "", "é", "🐕", "a b", "\"", "\\", "\n", "null", "[0]"]
    private static let texts = [
        "a", "\"", "\\", "\n", "\u{0}", "é", "🐕", "{", "}", "[", "]", ",", ":", "/", "\u{2028}",
    ]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// The value as text, with its members in random order and random space between them.
    func text(using random: inout SeededGenerator) throws -> String {
        func space() -> String { .random(of: [" ", "\n", "\t", "\r"], 0...1, using: &random) }
        switch self {
        case .array(let values):
            let texts = try values.map { "\(space())\(try $0.text(using: &random))\(space())" }
            return "[\(texts.joined(separator: ","))]"
        case .object(let members):
            let texts = try members.sorted { $0.key < $1.key }.shuffled(using: &random).map {
                name, value in
                let name = try RandomJSON.string(name).text(using: &random)
                return "\(space())\(name)\(space()):\(space())\(try value.text(using: &random))"
            }
            return "{\(texts.joined(separator: ","))\(space())}"
        default:
            return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }

    /// Removes random members of the objects in the value.
    func subset(using random: inout SeededGenerator) -> RandomJSON {
        switch self {
        case .array(let values): .array(values.map { $0.subset(using: &random) })
        case .object(let members):
            .object(
                members.sorted { $0.key < $1.key }.reduce(into: [:]) { subset, member in
                    guard Bool.random(using: &random) else { return }
                    subset[member.key] = member.value.subset(using: &random)
                })
        default: self
        }
    }

    /// Replaces every part of the value that is neither an object nor an array.
    func replacingLeaves(_ leaf: RandomJSON) -> RandomJSON {
        switch self {
        case .array(let values): .array(values.map { $0.replacingLeaves(leaf) })
        case .object(let members): .object(members.mapValues { $0.replacingLeaves(leaf) })
        default: leaf
        }
    }
}
