import Foundation

/// Responses by their URLs, bounded in bytes: the least recently used goes first.
struct ResponseStore {
    private struct Slot {
        let response: StoredResponse
        /// The number of its last use, which is when it was kept or confirmed.
        let lastUse: Int
    }

    private struct Use {
        let key: String
        let number: Int
    }

    private let capacity: Int
    /// Several where the responses to one URL vary.
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

    /// Returns the response that a request asks for.
    func response(to request: URLRequest) -> StoredResponse? {
        slots[request.cacheKey]?.first { $0.response.answers(request) }?.response
    }

    /// Keeps a response in place of whatever the request was answered with before.
    ///
    /// - Parameters:
    ///   - response: The response, or `nil` if the one there is now must not be kept.
    ///   - request: The request that it answers.
    ///   - generation: The generation when that was sent: nothing older than a removal of
    ///     everything comes back.
    mutating func keep(
        _ response: StoredResponse?, answering request: URLRequest, since generation: Int
    ) {
        guard generation == self.generation else { return }
        remove(request.cacheKey) { $0.response.answers(request) }
        if let response { insert(response) }
    }

    /// Puts a response in the place of the one that was confirmed, unless that is gone.
    mutating func replace(_ old: StoredResponse, with new: StoredResponse?) {
        guard slots[old.key]?.contains(where: { $0.response === old }) == true else { return }
        remove(old.key) { $0.response === old }
        if let new { insert(new) }
    }

    /// Removes every response to requests for a URL.
    mutating func removeResponses(to request: URLRequest) {
        remove(request.cacheKey) { _ in true }
    }

    mutating func removeAll() {
        (slots, uses, count, size) = ([:], [], 0, 0)
        generation += 1
    }

    private mutating func insert(_ response: StoredResponse) {
        guard response.cost <= capacity else { return }
        let use = makeUse(of: response.key)
        slots[response.key, default: []].append(Slot(response: response, lastUse: use))
        count += 1
        size += response.cost
        while size > capacity, let oldest = uses.popFirst() {
            remove(oldest.key) { $0.lastUse == oldest.number }
        }
    }

    private mutating func remove(_ key: String, where isRemoved: (Slot) -> Bool) {
        guard var kept = slots[key] else { return }
        for slot in kept where isRemoved(slot) {
            count -= 1
            size -= slot.response.cost
        }
        kept.removeAll(where: isRemoved)
        slots[key] = kept.isEmpty ? nil : kept
    }

    private mutating func makeUse(of key: String) -> Int {
        useCount += 1
        uses.append(Use(key: key, number: useCount))
        // Otherwise the list of uses would grow for as long as nothing has to go.
        if uses.count > 2 * count + 64 {
            let current = Set(slots.values.joined().map(\.lastUse)).union([useCount])
            uses.removeAll { !current.contains($0.number) }
        }
        return useCount
    }
}
