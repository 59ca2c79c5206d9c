import Foundation

/// Responses by their URLs, bounded in bytes: the least recently used goes first.
///
/// The responses to one URL are bounded in number as well, since each look-up compares them.
struct ResponseStore {
    private static let maxResponsesOfURL = 32

    private struct Slot {
        let response: StoredResponse
        /// The number of its last use, which is when it was kept or confirmed.
        let lastUse: Int
    }

    private struct Use {
        let url: String
        let number: Int
    }

    private let capacity: Int
    /// The responses to one URL, the least recently used first.
    private var slots: [String: [Slot]] = [:]
    /// The uses in order, of which one means nothing once the same response was used again.
    private var uses: ArraySlice<Use> = []
    private var useCount = 0
    private var count = 0
    private var size = 0
    /// How often everything was removed.
    private(set) var generation = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the response to a query, the newest if there are several (RFC 9111, section 4.1).
    func response(to query: CacheQuery) -> StoredResponse? {
        slots[query.url]?.last { $0.response.answers(query) }?.response
    }

    /// Stores a response in place of an earlier one to the same query.
    ///
    /// - Parameters:
    ///   - response: The response, or `nil` if it must not be stored.
    ///   - query: The query that it answers.
    ///   - generation: The generation when the request was sent. A response from before a removal
    ///     of everything is not stored.
    mutating func keep(
        _ response: StoredResponse?, answering query: CacheQuery, since generation: Int
    ) {
        guard generation == self.generation else { return }
        remove(query.url) { $0.response.answers(query) }
        if let response { insert(response) }
    }

    /// Puts a response in the place of the one that was confirmed, unless that is gone.
    mutating func replace(_ old: StoredResponse, with new: StoredResponse?) {
        guard slots[old.url]?.contains(where: { $0.response === old }) == true else { return }
        remove(old.url) { $0.response === old }
        if let new { insert(new) }
    }

    /// Removes every response to requests for a URL.
    mutating func removeResponses(of url: String) {
        remove(url) { _ in true }
    }

    mutating func removeAll() {
        (slots, uses, count, size) = ([:], [], 0, 0)
        generation += 1
    }

    private mutating func insert(_ response: StoredResponse) {
        guard response.cost <= capacity else { return }
        if let first = slots[response.url]?.first,
            slots[response.url]?.count == Self.maxResponsesOfURL
        {
            remove(response.url) { $0.lastUse == first.lastUse }
        }
        let use = makeUse(of: response.url)
        slots[response.url, default: []].append(Slot(response: response, lastUse: use))
        count += 1
        size += response.cost
        while size > capacity, let oldest = uses.popFirst() {
            remove(oldest.url) { $0.lastUse == oldest.number }
        }
    }

    private mutating func remove(_ url: String, where isRemoved: (Slot) -> Bool) {
        guard var kept = slots[url] else { return }
        for slot in kept where isRemoved(slot) {
            count -= 1
            size -= slot.response.cost
        }
        kept.removeAll(where: isRemoved)
        slots[url] = kept.isEmpty ? nil : kept
    }

    private mutating func makeUse(of url: String) -> Int {
        useCount += 1
        uses.append(Use(url: url, number: useCount))
        // Otherwise the list of uses would grow for as long as nothing has to go.
        if uses.count > 2 * count + 64 {
            let current = Set(slots.values.joined().map(\.lastUse)).union([useCount])
            uses.removeAll { !current.contains($0.number) }
        }
        return useCount
    }
}
