import Foundation

/// The entries of a file in the HTTP Archive format, version 1.2.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HARFile: Sendable, Equatable {
    var entries: [HAREntry] = []

    init(entries: [HAREntry] = []) {
        self.entries = entries
    }

    /// The name in `log.creator` of the files that this package writes.
    static let creator = "APIKit"
}
