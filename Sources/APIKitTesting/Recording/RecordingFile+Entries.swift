extension RecordingFile {
    /// Creates a file with entries in memory, which are only replayed.
    init(entries: [HAREntry], of cassette: Cassette, problem: String? = nil) {
        mode = .none
        self.entries = entries
        records = false
        self.problem = problem
        command = "APIKIT_RECORD=all swift test"
        self.cassette = cassette
        replaced = []
    }
}
