/// A mistake that prevents the use of a recording.
struct RecordingProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
