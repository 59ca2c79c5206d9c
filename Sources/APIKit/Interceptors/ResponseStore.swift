import Foundation

/// Responses by URL, with a limit in bytes: the least recently used is removed first.
///
/// The number of responses for one URL is limited too, because each lookup compares them.
struct ResponseStore {
    private static let maxResponsesOfURL = 32

    private struct Slot {
        let response: StoredResponse
        /// The sequence number of the last time that it was stored or revalidated.
        let lastUse: Int
    }

    private struct Use {
        let url: String
        let number: Int
    }

    private let capacity: Int
    /// The responses for each URL, the least recently used first.
    private var slots: [String: [Slot]] = [:]
    /// The uses in order, including those that a later use or a removal has outdated.
    private var uses: ArraySlice<Use> = []
    private var useCount = 0
    private var count = 0
    private var size = 0
    /// The number of calls to `removeAll()`.
    private(set) var generation = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the newest response that matches a request (RFC 9111, section 4.1).
    func response(for key: CacheKey) -> StoredResponse? {
        slots[key.url]?.last { $0.response.matches(key) }?.response
    }

    /// Replaces the responses that match a request with a new one.
    ///
    /// - Parameters:
    ///   - response: The new response, or `nil` if it must not be stored.
    ///   - key: The properties of the request.
    ///   - generation: The generation when the request was sent. After a later `removeAll()`, the
    ///     response is not stored.
    mutating func store(_ response: StoredResponse?, for key: CacheKey, generation: Int) {
        guard generation == self.generation else { return }
        remove(key.url) { $0.response.matches(key) }
        if let response { insert(response) }
    }

    /// Replaces a response after its revalidation, unless it has been removed.
    mutating func replace(_ old: StoredResponse, with new: StoredResponse?) {
        guard slots[old.url]?.contains(where: { $0.response === old }) == true else { return }
        remove(old.url) { $0.response === old }
        if let new { insert(new) }
    }

    /// Removes all responses for a URL.
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
        // Otherwise outdated uses would remain until the responses exceed the capacity.
        if uses.count > 2 * count + 64 {
            let current = Set(slots.values.joined().map(\.lastUse)).union([useCount])
            uses.removeAll { !current.contains($0.number) }
        }
        return useCount
    }
}
