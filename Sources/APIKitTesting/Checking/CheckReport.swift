/// How each entry of a recording was compared, for a line on standard error.
struct CheckReport {
    enum Outcome: Equatable {
        case body, head
        case notSent(method: String)
        case status(Int)
        case skipped(String)

        /// Why the entry was not compared.
        fileprivate var reason: String? {
            switch self {
            case .body, .head: nil
            case .notSent(let method): "not sent (\(method))"
            case .status(let status): "status \(status)"
            case .skipped(let reason): reason
            }
        }

        fileprivate var isNotSent: Bool { if case .notSent = self { true } else { false } }
    }

    /// The outcomes by the positions of the entries.
    private(set) var outcomes: [Int: Outcome] = [:]

    /// Adds an entry, which several request types can read.
    mutating func add(_ index: Int, _ outcome: Outcome) {
        if outcomes[index] != .body { outcomes[index] = outcome }
    }

    /// Whether no entry was compared, although not all belong to requests that a check does not send.
    var hasComparedNothing: Bool {
        outcomes.values.allSatisfy { $0.reason != nil }
            && (outcomes.isEmpty || !outcomes.values.allSatisfy(\.isNotSent))
    }

    /// Whether the server refused a request without access, and another was not sent.
    var lacksToken: Bool {
        outcomes.values.contains { [.status(401), .status(403)].contains($0) }
            && outcomes.values.contains(where: \.isNotSent)
    }

    /// How many entries were compared by body, by head only, and not.
    func summary(of path: String) -> String {
        guard !outcomes.isEmpty else { return "\(path) has no entry of this test." }
        var list = LimitedList(showing: 20)
        for (index, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
            if let reason = outcome.reason { list.add("entry \(index + 1) \(reason)") }
        }
        func count(_ outcome: Outcome) -> Int { outcomes.values.count { $0 == outcome } }
        return "\(path): \(count(.body)) compared by body, \(count(.head)) by head only, "
            + "\(list.count) not compared"
            + (list.count == 0 ? "." : ": \(list.textOnOneLine).")
    }
}
