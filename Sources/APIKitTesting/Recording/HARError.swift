/// A mistake in a HAR file.
struct HARError: Error, Equatable, CustomStringConvertible {
    /// The place, such as `log.entries[3].response.content.text`, or `line 7, column 3` of a text that
    /// is not JSON.
    let place: String
    /// The mistake, such as `expected base64`.
    let reason: String

    var description: String { "\(place): \(reason)" }
}
