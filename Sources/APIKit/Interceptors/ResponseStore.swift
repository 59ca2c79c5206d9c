import Foundation

/// Responses by URL, with a limit in bytes: the least recently used is removed first.
///
/// The number of responses for one URL is limited too, because each lookup compares all of them.
struct ResponseStore {
    private static let maxResponsesOfURL = 32

    private let capacity: Int
    /// The responses for each URL, the least recently used first.
    private var responses: [String: [StoredResponse]] = [:]
    private var size = 0
    /// The number of calls to `removeAll()`.
    private(set) var generation = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the newest response that matches a request (RFC 9111, section 4.1).
    func response(for key: CacheKey) -> StoredResponse? {
        responses[key.url]?.last { $0.matches(key) }
    }

    /// Stores a new response in place of the responses that match a request.
    ///
    /// - Parameters:
    ///   - response: The new response, or `nil` if it must not be stored.
    ///   - key: The properties of the request.
    ///   - generation: The generation when the request was sent. After a later `removeAll()`, the
    ///     response is not stored.
    mutating func store(_ response: StoredResponse?, for key: CacheKey, generation: Int) {
        guard generation == self.generation else { return }
        remove(key.url) { $0.matches(key) }
        if let response { insert(response) }
    }

    /// Replaces a response after its revalidation, unless it has been removed.
    mutating func replace(_ old: StoredResponse, with new: StoredResponse?) {
        guard responses[old.url]?.contains(where: { $0 === old }) == true else { return }
        remove(old.url) { $0 === old }
        if let new { insert(new) }
    }

    /// Removes all responses for a URL.
    mutating func removeResponses(of url: String) {
        remove(url) { _ in true }
    }

    mutating func removeAll() {
        (responses, size) = ([:], 0)
        generation += 1
    }

    private mutating func insert(_ response: StoredResponse) {
        guard response.cost <= capacity else { return }
        if let others = responses[response.url], others.count == Self.maxResponsesOfURL {
            remove(response.url) { $0 === others[0] }
        }
        responses[response.url, default: []].append(response)
        size += response.cost
        if size > capacity { removeLeastRecentlyUsed() }
    }

    private mutating func remove(_ url: String, where isRemoved: (StoredResponse) -> Bool) {
        guard var kept = responses[url] else { return }
        for response in kept where isRemoved(response) { size -= response.cost }
        kept.removeAll(where: isRemoved)
        responses[url] = kept.isEmpty ? nil : kept
    }

    /// Removes responses until a sixteenth of the capacity is free.
    ///
    /// Sorting thousands of responses is slow, so one sort makes room for many new responses.
    private mutating func removeLeastRecentlyUsed() {
        for response in responses.values.joined().sorted(by: { $0.lastUse < $1.lastUse }) {
            guard size > capacity - capacity / 16 else { return }
            remove(response.url) { $0 === response }
        }
    }
}
