import APIKit
import Foundation

extension Tape {
    /// Returns what each of some replies of routes has and the recorded responses to such requests
    /// do not.
    func differences(ofStubs stubs: [RecordedExchange]) -> [[String]] {
        let all = file.entries.map { (target: RequestTarget(of: $0.request), response: $0.stub) }
        return stubs.map { exchange in
            let target = RequestTarget(of: exchange.request)
            func near(_ isNear: (RequestTarget) -> Bool) -> [ComparedResponse] {
                all.filter { isNear($0.target) }.compactMap(\.response)
            }
            guard let stub = exchange.stub else { return [] }
            var recorded = near(target.isSimilar)
            // An entry with the path itself counts, even if it is an error.
            if all.contains(where: { target.isEqual(to: $0.target) }) {
                recorded = near(target.isEqual)
            } else if recorded.isEmpty {
                recorded = near { target.isJoined(with: $0, by: exchange.route?.pattern.path) }
                // The paths and a common name tell that the resources are of one kind.
                if recorded.isEmpty {
                    recorded = near(target.isOfOneKind).filter {
                        !$0.names.isDisjoint(with: stub.names)
                    }
                }
            }
            return stub.differences(from: recorded, readBy: exchange.reader)
        }
    }
}

extension ComparedResponse {
    /// The names of the members of the object, or of the objects of a list.
    fileprivate var names: Set<JSONStep> {
        Set((json?.elements ?? [json ?? .null]).children.keys).subtracting([.elements])
    }

    /// Returns what the JSON has and recorded responses do not.
    fileprivate func differences(
        from recorded: [ComparedResponse], readBy reader: ResponseParser?
    ) -> [String] {
        guard let largest = recorded.max(by: { $0.body.count < $1.body.count }) else { return [] }
        let changes = JSONComparison(from: recorded.compactMap(\.json), to: [json ?? .null]).changes
        let news = changes.filter { $0.weight == .new }
        let maps = Dictionary(grouping: news) { $0.steps.dropLast() }
            .filter { reader?.takes($0.value[0], asKeyOf: largest) == true }
        let kinds = changes.filter { [.counted, .kind].contains($0.weight) && !$0.isRemoval }
        return (kinds + news.filter { maps[$0.steps.dropLast()] == nil }).map(\.text)
    }
}

extension ResponseParser {
    /// Returns whether the name of a new member is data: with it, a dictionary of the output has one
    /// more value.
    fileprivate func takes(
        _ member: JSONComparison.Change, asKeyOf response: ComparedResponse
    ) -> Bool {
        // A parser that refuses a body takes no name in it as data.
        guard let then = try? output(of: response.with([])),
            let now = try? output(of: response.with([member]))
        else { return false }
        return now.dictionaryValueCount > then.dictionaryValueCount
    }
}

extension RecordedExchange {
    /// The response, if it is complete, successful and JSON.
    fileprivate var stub: ComparedResponse? {
        guard response.error == nil, (200...299).contains(response.status) else { return nil }
        return compared.json == nil ? nil : compared
    }
}
