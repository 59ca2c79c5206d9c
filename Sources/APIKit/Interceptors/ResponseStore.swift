/// Responses with a limit in bytes: the least recently used is removed first.
struct ResponseStore {
    private let capacity: Int
    private(set) var responses: [RequestIdentity: StoredResponse] = [:]
    private var size = 0
    /// The number of calls to `removeAll()`.
    private(set) var generation = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Stores a new response in place of the one for the same requests.
    ///
    /// - Parameters:
    ///   - response: The new response, or `nil` if it must not be stored.
    ///   - key: The properties of the request.
    ///   - generation: The generation when the request was sent. After a later `removeAll()`, the
    ///     response is not stored.
    mutating func store(_ response: StoredResponse?, for key: RequestIdentity, generation: Int) {
        guard generation == self.generation else { return }
        remove(key)
        guard let response, response.cost <= capacity else { return }
        responses[key] = response
        size += response.cost
        guard size > capacity else { return }
        // Sorting thousands of responses is slow, so one sort makes room for many new responses.
        for response in responses.values.sorted(by: { $0.lastUse < $1.lastUse })
        where size > capacity - capacity / 16 {
            remove(response.key)
        }
    }

    /// Removes all responses for a URL.
    mutating func removeResponses(of url: String) {
        for key in responses.keys.filter({ $0.url == url }) { remove(key) }
    }

    mutating func removeAll() {
        (responses, size) = ([:], 0)
        generation += 1
    }

    private mutating func remove(_ key: RequestIdentity) {
        size -= responses.removeValue(forKey: key)?.cost ?? 0
    }
}
