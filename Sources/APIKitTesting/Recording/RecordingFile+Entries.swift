extension RecordingFile {
    /// Creates a file with entries in memory, which are only replayed.
    init(entries: [HAREntry], problem: String? = nil) {
        mode = .none
        self.entries = entries
        self.problem = problem
        records = false
        command = "APIKIT_RECORD=all swift test"
        cassette = Cassette("users")
        replaced = []
    }
}
