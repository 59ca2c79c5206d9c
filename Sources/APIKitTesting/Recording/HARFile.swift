import Foundation

/// The entries of a file in the HTTP Archive format, version 1.2.
struct HARFile: Sendable, Equatable {
    var entries: [HAREntry] = []

    init(entries: [HAREntry] = []) {
        self.entries = entries
    }

    /// Reads a file.
    ///
    /// - Throws: A ``HARError`` with the place of the mistake.
    init(data: Data) throws {
        self.init()
    }

    /// The bytes of the file: the same ones for the same entries.
    var data: Data { Data() }
}

/// A mistake in a HAR file.
struct HARError: Error, Equatable {
    /// The place, such as `log.entries[3].response.content.text`.
    let place: String
    /// The mistake, such as `expected base64`.
    let reason: String
}
