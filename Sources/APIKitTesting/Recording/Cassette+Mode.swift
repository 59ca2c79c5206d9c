extension Cassette {
    /// Whether requests go to the real server and are recorded.
    ///
    /// If the environment variable `APIKIT_RECORD` is set to the name of a mode, it replaces the mode of
    /// each cassette.
    public enum Mode: String, Sendable, CaseIterable {
        /// Records if there is no file, and otherwise replays. Where the environment variable `CI` is
        /// set, it never records.
        case once
        /// Replays, and never records.
        case none
        /// Replays the entries that match, and records all other requests.
        ///
        /// Where the folder of the source file does not exist, as on a device, it only replays.
        case newEpisodes
        /// Records all requests, and replaces the file, even a broken one.
        case all
    }
}
