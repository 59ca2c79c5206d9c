import APIKit
import Foundation

/// What a request type reads of a JSON body.
///
/// A request type states its part of an API by its parser alone. So the initializer asks the parser:
/// for each member of a real body, it parses the body without the member, with another value of the
/// same kind, and with a value of another kind. <doc:when-the-server-changes> shows an example.
///
/// The elements of an array share a path, such as `[].owner.name`, and a few elements stand for all.
/// The values of a map share one too, such as `rates.*`: the keys of its object are data, because a
/// key with another name reaches the output. Outputs are compared property by property, except for
/// what differs between two parses of one body, such as a new identifier. The result does not show a
/// branch of the parser that the body does not reach. Nor does it show a value that the output does
/// not contain, because the parser only checks it.
///
/// A body is parsed at most 200 times, and 20 MB of samples in all. Members beyond that count as read.
public struct MemberUses: Sendable, Equatable {
    /// The paths of the members without which the parser throws, sorted.
    public var required: [String] { paths(.required) }
    /// The paths of the other members without which, or with another value, the parser throws or gives
    /// another output, sorted.
    public var read: [String] { paths(.read) }
    /// The paths of the members that do not change the output, sorted.
    ///
    /// A member within an ignored one is ignored too, and not listed.
    public var ignored: [String] { paths(.ignored) }

    enum Use { case required, read, ignored }

    /// The uses by the steps to the members.
    fileprivate(set) var uses: [[JSONStep]: Use] = [:]
    /// Whether the keys of objects are data, or `nil` for an output that can hold any object.
    fileprivate var maps: [[JSONStep]: Bool?] = [:]
    /// Whether all members were probed.
    private(set) var isComplete = true

    private func paths(_ use: Use) -> [String] {
        uses.filter { $0.value == use }.map { JSONStep.text(of: $0.key) }.sorted()
    }

    /// Returns the use of a member, or of the closest one around it that is known.
    func use(of steps: [JSONStep]) -> Use {
        for end in steps.indices.reversed() {
            if let use = uses[Array(steps[...end])] { return use }
        }
        return .read
    }

    /// Returns whether the keys of objects are data, or `nil` if the parser does not say.
    func isMap(_ steps: [JSONStep]) -> Bool? { maps[steps] ?? false }

    /// Asks the parser of a request type about the members of a body.
    ///
    /// The parser receives a head with the status 200 and no header fields.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - body: The body of a real response, in JSON.
    /// - Throws: A `DecodingError` for a body that is not JSON, or the error of the parser for the
    ///   unchanged body.
    public init<Request: APIRequest>(of request: Request, in body: Data) throws {
        try self.init(in: JSONValue(text: body)) {
            try request.parseResponse(APIResponse(value: $0, http: HTTPURLResponse()))
        }
    }

    /// Asks a parser about the members of a body.
    ///
    /// If the uses of an earlier body are given, members that it ignores are not probed, nor those
    /// without a value.
    init(
        in body: JSONValue, since earlier: MemberUses? = nil, parse: @escaping (Data) throws -> Any
    ) throws {
        var probe = try MemberProbe(of: body, parse: parse)
        var members = probe.members(in: [probe.sample], at: [], of: &self, since: earlier)
        while !members.isEmpty {
            var next: [MemberProbe.Member] = []
            for member in members {
                let use = probe.use(of: member, since: earlier)
                uses[member.steps] = use
                if use != .ignored {
                    next += probe.members(
                        in: member.values, at: member.steps, of: &self, since: earlier)
                }
            }
            members = next
        }
        isComplete = probe.isComplete
    }

    /// Returns whether a parser gives another output for another value of the same kind.
    static func readsValue(
        at steps: [JSONStep], in body: JSONValue, parse: @escaping (Data) throws -> Any
    ) -> Bool {
        var probe = try? MemberProbe(of: body, parse: parse)
        return probe?.readsValue(at: steps) == true
    }
}

/// The questions to the parser of a request type about one body.
private struct MemberProbe {
    struct Member {
        let steps: [JSONStep]
        let values: [JSONValue]
    }

    // A verdict must not depend on the speed of the machine, so the limits are counts.
    private static let (maxCount, maxSize) = (200, 20 << 20)

    /// The body with a few elements of each array.
    private(set) var sample: JSONValue
    private(set) var isComplete = true
    private let parse: (Data) throws -> Any
    private let expected: ParsedOutput
    /// The steps to what differs between two parses.
    private let volatile: Set<[JSONStep]>
    private var (count, size) = (0, 0)

    init(of body: JSONValue, parse: @escaping (Data) throws -> Any) throws {
        func output(of json: JSONValue) throws -> ParsedOutput {
            try ParsedOutput(parse(JSONEncoder().encode(json)))
        }
        // A few elements of each array are enough, unless the parser needs more.
        var seen: Set<String> = []
        let few = body.sample(&seen)
        let fewOutput = try? output(of: few)
        sample = fewOutput == nil ? body : few
        expected = try fewOutput ?? output(of: body)
        volatile = expected.tree.differences(from: try output(of: sample).tree)
        self.parse = parse
    }

    /// Returns the output of a changed sample, or `nil` if the parser throws.
    private mutating func output(of json: JSONValue?) -> ParsedOutput? {
        guard let data = try? JSONEncoder().encode(json) else { return nil }
        (count, size) = (count + 1, size + data.count)
        return (try? parse(data)).map { ParsedOutput($0) }
    }

    private mutating func hasLimitsLeft() -> Bool {
        isComplete = isComplete && count < Self.maxCount && size < Self.maxSize
        return isComplete
    }

    mutating func use(of member: Member, since earlier: MemberUses?) -> MemberUses.Use {
        if let earlier {
            if earlier.use(of: member.steps) == .ignored { return .ignored }
            // The use of an empty value does not show.
            if member.values.allSatisfy({ $0.ofAnotherValue == $0 }) { return .read }
            // A parser that gives the same output for another text hides that it cannot read it.
            if member.values.allSatisfy({ $0.text != nil }) {
                return hasLimitsLeft() && !readsValue(at: member.steps) ? .ignored : .read
            }
        }
        guard hasLimitsLeft() else { return .read }
        guard let without = output(of: changed(member.steps) { _ in nil }) else { return .required }
        if isOther(without) || readsValue(at: member.steps) { return .read }
        let isRead =
            earlier == nil && isOther(output(of: changed(member.steps, by: \.ofAnotherKind)))
        return isRead ? .read : .ignored
    }

    /// Returns whether another value of the same kind, if there is one, changes the output.
    mutating func readsValue(at steps: [JSONStep]) -> Bool {
        let other = changed(steps, by: \.ofAnotherValue)
        return other != sample && isOther(output(of: other))
    }

    private func changed(_ steps: [JSONStep], by change: (JSONValue) -> JSONValue?) -> JSONValue? {
        sample.changing(steps[...], by: change)
    }

    private func isOther(_ output: ParsedOutput?) -> Bool {
        output.map { !expected.tree.differences(from: $0.tree).isSubset(of: volatile) } ?? true
    }

    /// Returns the members of the objects among some values, also within arrays.
    ///
    /// The values of a map are one member.
    mutating func members(
        in values: [JSONValue], at steps: [JSONStep], of uses: inout MemberUses,
        since earlier: MemberUses?
    ) -> [Member] {
        var found: [Member] = []
        let elements = values.compactMap(\.elements).joined()
        if !elements.isEmpty {
            found += members(
                in: Array(elements), at: steps + [.elements], of: &uses, since: earlier)
        }
        let objects = values.compactMap(\.members)
        let isMap = earlier.map { $0.isMap(steps) } ?? isMap(objects, at: steps)
        uses.maps.updateValue(isMap, forKey: steps)
        if isMap == true {
            return found + [Member(steps: steps + [.values], values: objects.flatMap(\.values))]
        }
        let names = objects.reduce(into: [String: [JSONValue]]()) { names, object in
            for (name, value) in object { names[name, default: []].append(value) }
        }
        guard isMap != nil else {
            // Such an output contains all members, and all within them.
            for name in names.keys { uses.uses[steps + [.member(name)]] = .read }
            return found
        }
        return found
            + names.sorted { $0.key < $1.key }
            .map { Member(steps: steps + [.member($0.key)], values: $0.value) }
    }

    /// Returns whether the parser takes the keys of objects as data: the output has a new key.
    private mutating func isMap(_ objects: [[String: JSONValue]], at steps: [JSONStep]) -> Bool? {
        guard let key = objects.lazy.compactMap({ $0.keys.min() }).first, hasLimitsLeft() else {
            return false
        }
        let newKey = JSONValue.otherText(than: key)
        let renamed = sample.changing(steps[...]) { value in
            guard var members = value.members, let old = members.removeValue(forKey: key) else {
                return value
            }
            members[newKey] = old
            return .object(members)
        }
        guard let output = output(of: renamed) else { return false }
        if output.texts.contains(newKey), !expected.texts.contains(newKey) { return true }
        return output.tree.hasMember(named: newKey) ? nil : false
    }
}

extension JSONValue {
    /// Returns the value with all elements of short arrays of scalars, such as coordinates, and of
    /// other arrays only those that show something new.
    ///
    /// That is a member, a kind of its value, or one of a few values of an element's member, on which
    /// a parser may branch.
    fileprivate func sample(_ seen: inout Set<String>, at path: String = "") -> Self {
        seen.insert("\(path) \(JSONComparison.Kind(of: self))")
        switch self {
        case .object(let members):
            return .object(
                members.reduce(into: [:]) { sample, member in
                    sample[member.key] = member.value.sample(
                        &seen, at: path + JSONScanner.step(member.key))
                })
        case .array(let elements):
            guard elements.count > 16 || elements.contains(where: { $0.members != nil }) else {
                return .array(elements.map { $0.sample(&seen, at: "\(path)[]") })
            }
            let choices = Self.choices(of: elements.compactMap(\.members))
            var kept: [Self] = []
            for element in elements {
                let count = seen.count
                let sample = element.sample(&seen, at: "\(path)[]")
                for name in choices where kept.count < 20 {
                    if let value = element.members?[name] {
                        seen.insert("\(path)[].\(name)=\(value)")
                    }
                }
                if kept.isEmpty || seen.count > count { kept.append(sample) }
            }
            return .array(kept)
        default: return self
        }
    }

    /// Returns the names of members that have from 2 through 20 values in some objects.
    private static func choices(of objects: [[String: Self]]) -> [String] {
        var values: [String: Set<Self>] = [:]
        for (name, value) in objects.joined() where (values[name]?.count ?? 0) <= 20 {
            switch value {
            case .string, .bool: values[name, default: []].insert(value)
            default: continue
            }
        }
        return values.filter { 2...20 ~= $0.value.count }.map(\.key).sorted()
    }
}
