import APIKit

extension RequestKey.Field {
    var isOpen: Bool { items.contains(where: \.isOpen) }

    func accepts(_ other: Self) -> Bool {
        guard self != other else { return true }
        guard isOpen, form == other.form, items.count == other.items.count else { return false }
        return rest(besides: other).missing.isEmpty
    }

    /// Returns the items that have no counterpart in another field, and those of the other field.
    private func rest(besides other: Self) -> (missing: [Item], unexpected: [Item]) {
        if form == .segments || form == .multipart {
            let differing = zip(items, other.items).filter { !$0.accepts($1) }
            let count = Swift.min(items.count, other.items.count)
            return (
                differing.map(\.0) + items.dropFirst(count),
                differing.map(\.1) + other.items.dropFirst(count)
            )
        }
        // Counts, because a search for each item of a large body is slow.
        var counts = other.items.reduce(into: [Item: Int]()) { $0[$1, default: 0] += 1 }
        func take(_ item: Item) -> Bool {
            guard let count = counts[item], count > 0 else { return false }
            counts[item] = count - 1
            return true
        }
        let closed = items.filter { !$0.isOpen && !take($0) }
        var unexpected = other.items.filter(take)
        let open = items.filter { $0.isOpen && !unexpected.removeFirst(acceptedBy: $0) }
        return (closed + open, unexpected)
    }

    func addDifferences(from other: Self, to list: inout LimitedList) {
        guard form == other.form else {
            list.add("\(subject): expected \(form.rawValue), got \(other.form.rawValue)")
            return
        }
        if form == .segments {
            let (segments, others) = (items.map(\.value.shown), other.items.map(\.value.shown))
            let isSlash = segments.filter { !$0.isEmpty } == others.filter { !$0.isEmpty }
            list.add(
                "path: expected \(shown(segments)), got \(shown(others))"
                    + (isSlash ? " (only a slash differs)" : ""))
            return
        }
        let (missing, unexpected) = rest(besides: other)
        var indices = Dictionary(grouping: unexpected.indices.reversed()) { unexpected[$0].name }
        for item in missing {
            let index = indices[item.name]?.popLast()
            list.add(line(item, index.map { unexpected[$0] }))
        }
        for index in indices.values.joined().sorted() { list.add(line(nil, unexpected[index])) }
    }

    private func shown(_ segments: [String]) -> String {
        Redaction.secrets.text(ofValue: "/" + segments.joined(separator: "/")).shortened(to: 200)
    }

    private func line(_ expected: Item?, _ got: Item?) -> String {
        let (expectedText, gotText) = (shown(expected), shown(got))
        let other = expectedText == gotText ? " (a different value)" : ""
        let name = form == .json ? (expected ?? got)?.name?.shown ?? "" : ""
        let place = name.isEmpty ? "" : "\(name.shortened(to: 100)): "
        return "\(subject): \(place)expected \(expectedText), got \(gotText)\(other)"
    }

    private func shown(_ item: Item?) -> String {
        guard let item else { return "nothing" }
        let name = item.name?.shown
        let isSecret =
            name.map { Redaction.hidesItem(named: $0) || Redaction.secrets.hidesWord(in: $0) }
            ?? Redaction.hidesHeader(subject.replacing("header ", with: ""))
        let value = isSecret ? Redaction.masked(item.value.shown) : item.value.harmless
        guard let name, form != .json else {
            // Without a name, a body may contain a secret.
            let isUnknown = form == .bytes && Redaction.secrets.hidesWord(in: value)
            return isUnknown ? "\(item.value.count) bytes" : value
        }
        return "\(name)=\(value)"
    }
}

extension RequestKey.Field.Item {
    var isOpen: Bool { value.isOpen || name?.isOpen == true }

    func accepts(_ other: Self) -> Bool {
        guard value.accepts(other.value) else { return false }
        guard let name, let otherName = other.name else { return name == other.name }
        return name.accepts(otherName)
    }
}

extension [RequestKey.Field.Item] {
    /// Removes the first item that another one accepts, and returns whether there is one.
    fileprivate mutating func removeFirst(acceptedBy item: Element) -> Bool {
        guard let index = firstIndex(where: item.accepts) else { return false }
        remove(at: index)
        return true
    }
}
