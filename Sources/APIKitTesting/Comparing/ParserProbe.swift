import APIKit
import Foundation

/// The questions to the parser of a request type about one response.
///
/// Each question parses the response with a change, and compares the output.
final class ParserProbe {
    // A verdict must not depend on the speed of the machine, so the limits are counts.
    private static let (maxCount, maxSize) = (200, 10 << 20)

    /// What the parser does with a member.
    enum Use { case required, read, ignored }

    let parser: ResponseParser
    /// The response with a few elements of each array, which are enough, unless the parser needs more.
    let response: ComparedResponse
    /// Whether each question was asked.
    ///
    /// Beyond the limits, the parser counts as reading everything.
    private(set) var isComplete = true
    /// What differs between two outputs of one body is left out, such as a new identifier.
    private let outputs: (JSONValue, JSONValue)
    private var (count, size) = (0, 0)
    private var uses: [[JSONStep]: Use] = [:]
    private var (open, maps): ([[JSONStep]: Bool], [[JSONStep]: Bool]) = ([:], [:])

    init(of response: ComparedResponse, by parser: ResponseParser) throws {
        var seen: Set<String> = []
        let few = response.with(response.json?.sample(&seen))
        let isEnough = (try? parser.output(of: few)) != nil
        (self.parser, self.response) = (parser, isEnough ? few : response.with(response.json))
        outputs = (try parser.output(of: self.response), try parser.output(of: self.response))
    }

    /// Returns what the parser does with a changed response, and the output.
    private func ask(
        _ response: @autoclosure () -> ComparedResponse
    ) -> (use: Use, output: JSONValue?) {
        isComplete = isComplete && count < Self.maxCount && size < Self.maxSize
        // A large body takes longer to write than to ask about.
        guard isComplete else { return (.read, nil) }
        let response = response()
        (count, size) = (count + 1, size + response.body.count)
        guard let output = try? parser.output(of: response) else { return (.required, nil) }
        return (output.isOther(than: outputs.0, outputs.1) ? .read : .ignored, output)
    }

    private func ask(
        _ steps: [JSONStep], changing change: (JSONValue) -> JSONValue?
    ) -> (use: Use, output: JSONValue?) {
        ask(response.with(response.json?.changing(steps[...], by: change) ?? .null))
    }

    /// Returns what the parser does with a change of the values after some steps.
    ///
    /// What lies below an ignored member is ignored, and not asked for.
    func use(of steps: [JSONStep], changing change: (JSONValue) -> JSONValue?) -> Use {
        if steps.count > 1, use(of: steps.dropLast()) == .ignored { return .ignored }
        if !steps.isEmpty, isOpen(steps.dropLast()) { return .read }
        return ask(steps, changing: change).use
    }

    /// Returns whether the parser takes any value after some steps, and the output holds it.
    ///
    /// Then it reads the whole value, as a `JSONValue` does, and requires nothing of it.
    private func isOpen(_ steps: [JSONStep]) -> Bool {
        if let known = open[steps] { return known }
        // A type of a client has no such object.
        func object(_ text: JSONValue) -> JSONValue { ["": [[text]]] }
        let isOpen =
            !steps.isEmpty && isOpen(steps.dropLast())
            || tells(object("a"), from: object("b"), at: steps) == true
        open[steps] = isOpen
        return isOpen
    }

    /// Returns whether the parser takes another value after some steps for no other than a third one,
    /// such as a default for both.
    func hides(_ value: JSONValue, at steps: [JSONStep]) -> Bool {
        !isOpen(steps.dropLast())
            && tells(value, from: value.ofAnotherValue, at: steps) == false
    }

    /// Returns whether the output tells two values after some steps apart, or `nil` if the parser
    /// refuses one.
    private func tells(
        _ value: JSONValue, from other: JSONValue, at steps: [JSONStep]
    ) -> Bool? {
        guard let first = ask(steps, changing: { _ in value }).output,
            let second = ask(steps, changing: { _ in value }).output
        else { return nil }
        return ask(steps, changing: { _ in other }).output?.isOther(than: first, second)
    }

    /// Returns the use of the values after some steps.
    func use(of steps: [JSONStep]) -> Use {
        if let known = uses[steps] { return known }
        var use = use(of: steps) { _ in nil }
        // A default can be equal to the value, and a parser can take no value for it.
        if use == .ignored,
            [\JSONValue.ofAnotherValue, \.ofAnotherKind].contains(where: { other in
                self.use(of: steps) { $0[keyPath: other] } != .ignored
            })
        {
            use = .read
        }
        uses[steps] = use
        return use
    }

    /// Returns whether the output depends on a header field.
    func reads(field: String) -> Bool {
        var other = response
        other.fields[field] = nil
        return ask(other).use != .ignored
    }

    /// Returns whether the parser takes the keys of objects as data, because the output has a new key.
    ///
    /// - Returns: `nil` for an output that can hold any object.
    func isMap(_ steps: [JSONStep]) -> Bool? {
        if let known = maps[steps] { return known }
        // The values of a map are asked for together, and not by their keys.
        if case .member? = steps.last, isMap(steps.dropLast()) == true { return false }
        if isOpen(steps) { return nil }
        var names: Set<String> = []
        func renamed(_ value: JSONValue) -> JSONValue {
            guard var members = value.members, let key = members.keys.min() else { return value }
            let name = JSONValue.otherText(than: key)
            members[name] = members.removeValue(forKey: key)
            names.insert(name)
            return .object(members)
        }
        let output = ask(steps, changing: renamed).output
        let isMap = names.contains { output?.holds($0) == true && !outputs.0.holds($0) }
        maps[steps] = isMap
        return isMap
    }
}

extension JSONValue {
    /// Returns the value with all elements of short arrays of scalars, such as coordinates, and of
    /// other arrays only those that show something new.
    ///
    /// That is a member, a kind of its value, or one of a few values of an element's member, on which
    /// a parser may branch.
    fileprivate func sample(_ seen: inout Set<String>, at path: String = "") -> Self {
        seen.insert("\(path) \(kind)")
        switch self {
        case .object(var members):
            for (name, value) in members {
                members[name] = value.sample(&seen, at: path + JSONScanner.step(name))
            }
            return .object(members)
        case .array(let elements):
            let isShort = elements.count <= 16 && !elements.contains { $0.members != nil }
            let choices = elements.children.filter { _, values in
                values.allSatisfy { ["string", "boolean"].contains($0.kind) }
                    && 2...20 ~= Set(values).count
            }.keys
            var kept: [Self] = []
            for element in elements {
                let count = seen.count
                let sample = element.sample(&seen, at: "\(path)[]")
                for case .member(let name) in choices where kept.count < 20 {
                    seen.insert("\(path)[].\(name)=\(element.members?[name] ?? .null)")
                }
                if isShort || kept.isEmpty || seen.count > count { kept.append(sample) }
            }
            return .array(kept)
        default: return self
        }
    }
}
