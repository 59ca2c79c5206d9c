extension Cassette {
    /// Whether requests go to the real server and are recorded.
    public enum Mode: String, Sendable, CaseIterable {
        /// Records if there is no file, and otherwise replays. Where the environment variable `CI` is
        /// set, it never records.
        case once
        /// Replays, and never records.
        case none
        /// Replays the entries that match, and records all other requests.
        case newEpisodes
        /// Records all requests, and replaces the file.
        case all
    }
}
