/// A mistake in a JSON text, or in the values of a file in JSON.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The place, such as `log.entries[3].response.content.text`, or `line 7, column 3` of a text that
    /// is not JSON.
    package let place: String
    /// The mistake, such as `expected base64`.
    package let reason: String

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}
