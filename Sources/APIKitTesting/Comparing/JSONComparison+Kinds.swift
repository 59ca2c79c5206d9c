import APIKit
import Foundation

extension JSONComparison {
    /// Returns whether objects without a common name look like maps from identifiers to values.
    static func areMaps(_ old: [String: [JSONValue]], _ new: [String: [JSONValue]]) -> Bool {
        /// A name without its style, because `first_name` is a new name of `firstName`.
        func names(_ values: [String: [JSONValue]]) -> Set<String> {
            Set(values.keys.map { $0.lowercased().filter(\.isLetter) }).subtracting([""])
        }
        return old.count >= 2 && new.count >= 2 && names(old).isDisjoint(with: names(new))
            && Set(old.keys).isDisjoint(with: new.keys)
            && [old, new].allSatisfy { side in
                Set(side.values.joined().map { shape(of: $0) }).count == 1
            }
    }

    /// Returns the kind of a value, and the names of its members.
    private static func shape(of json: JSONValue) -> String {
        switch json {
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key):\(shape(of: $0.value))" }
                .joined(separator: ",")
        default: "\(Kind(of: json))"
        }
    }

    /// Returns the member whose text tells the kinds of elements apart, or `nil`.
    ///
    /// On one side at least, elements with an equal text have equal names of members.
    static func discriminator(
        of old: [[String: JSONValue]], _ new: [[String: JSONValue]]
    ) -> String? {
        let sides = [old, new].map { objects in
            (objects: objects, names: objects.map { names(of: .object($0)) })
        }
        guard let first = (old + new).first, sides.contains(where: { Set($0.names).count > 1 })
        else {
            return nil
        }
        let found = first.keys.sorted().compactMap { name -> (name: String, count: Int)? in
            let texts = sides.map { $0.objects.map { $0[name]?.text } }
            guard !texts.joined().contains(nil), !Set(texts[0]).isDisjoint(with: texts[1]) else {
                return nil
            }
            let counts = zip(sides, texts).compactMap { side, texts -> Int? in
                let groups = Dictionary(grouping: zip(texts, side.names)) { $0.0 }
                    .mapValues { Set($0.map(\.1)) }
                // A name that most elements have for themselves tells nothing.
                let isFew = 2...20 ~= groups.count && groups.count * 2 <= texts.count
                let isTelling = groups.values.allSatisfy { $0.count == 1 }
                return isFew && isTelling && Set(groups.values).count > 1 ? groups.count : nil
            }
            return counts.min().map { (name, $0) }
        }
        return found.min { $0.count < $1.count }?.name
    }

    /// Returns the names of the members of an object, also within its objects.
    private static func names(of json: JSONValue) -> String {
        guard case .object(let members) = json else { return "" }
        return members.sorted { $0.key < $1.key }.map { "\($0.key){\(names(of: $0.value))}" }
            .joined(separator: ",")
    }
}
