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
        var unexpected = other.items
        // An item without a placeholder first, because it accepts only an equal one.
        let closed = items.filter { !$0.isOpen }.filter { !unexpected.removeFirst(acceptedBy: $0) }
        let open = items.filter(\.isOpen).filter { !unexpected.removeFirst(acceptedBy: $0) }
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
        let (missing, others) = rest(besides: other)
        var unexpected = others
        for item in missing {
            let index = unexpected.firstIndex { $0.name == item.name }
            list.add(line(item, index.map { unexpected[$0] }))
            if let index { unexpected.remove(at: index) }
        }
        for item in unexpected { list.add(line(nil, item)) }
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
        // The name of a header field is in the subject.
        let isSecret =
            name.map { Redaction.hidesItem(named: $0) || Redaction.secrets.hidesWord(in: $0) }
            ?? Redaction.secrets.hidesWord(in: subject)
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
