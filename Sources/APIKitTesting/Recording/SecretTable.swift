import APIKit
import Foundation

/// The placeholders of the secrets in one recording.
///
/// Equal secrets have the same placeholder, such as `REDACTED-1`. The numbers follow the order in
/// which the secrets occur.
struct SecretTable {
    /// Creates a table whose numbers are greater than those in existing entries.
    init(after entries: [HAREntry]) {}

    /// Returns the entries with all of their secrets replaced, wherever they occur.
    mutating func redact(_ entries: [HAREntry], by redaction: Redaction) -> [HAREntry] {
        entries
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? { nil }
}
