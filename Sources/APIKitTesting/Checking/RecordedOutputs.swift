import APIKit

/// What a parser makes of recorded responses, and of the same responses with changes.
///
/// It can parse the recorded responses, so any difference is the effect of a change.
struct RecordedOutputs {
    /// What the parser does, such as `gives nil for [].name`, and whether it throws.
    typealias Effect = (text: String, isRefusal: Bool)

    // A failure lists no more, and each takes questions to the parser.
    static let maxEffects = 36

    let parser: ResponseParser
    let outputs: [JSONValue]
    private let responses: [ComparedResponse]

    init(of responses: [ComparedResponse], by parser: ResponseParser) throws {
        (self.responses, self.parser) = (responses, parser)
        outputs = try responses.map { try parser.output(of: $0.with([])).tree }
    }

    /// Returns the effects of the changes that have any alone, by their steps.
    ///
    /// Asks the parser for all changes at once, and then for the halves of changes with an effect. So
    /// it asks at most 2 *k* log₂ *n* + 1 times, if *k* of *n* changes have an effect.
    func effects(of changes: ArraySlice<JSONComparison.Change>) -> [[JSONStep]: Effect] {
        guard let first = changes.first, let effect = effect(of: changes) else { return [:] }
        guard changes.count > 1 else { return [first.steps: effect] }
        let middle = changes.startIndex + changes.count / 2
        let effects = effects(of: changes[..<middle])
        guard effects.count < Self.maxEffects else { return effects }
        return effects.merging(self.effects(of: changes[middle...])) { $1 }
    }

    /// Returns the effect of some changes together, or `nil` for none.
    private func effect(of changes: ArraySlice<JSONComparison.Change>) -> Effect? {
        let isGone = changes.contains(where: \.isRemoval)
        do {
            let losses = try zip(responses, outputs).flatMap { response, then in
                then.losses(in: try parser.output(of: response.with(changes)).tree, isGone: isGone)
            }
            let list = LimitedList(Set(losses).sorted()).textOnOneLine
            return losses.isEmpty ? nil : (text: "gives \(list)", isRefusal: false)
        } catch {
            return (text: parser.text(of: error), isRefusal: true)
        }
    }
}
