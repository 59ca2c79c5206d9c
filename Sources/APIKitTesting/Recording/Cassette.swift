import APIKit
import Foundation

/// A recording of real responses, in a file beside the test, and the rules for its use.
///
/// ```swift
/// server.replay(Cassette("users", redacting: .secrets.adding(values: ["ssn"])))
/// ```
public struct Cassette: Sendable {
    /// The name of the file without its extension, such as `users` for `Recordings/users.har`.
    public let name: String

    let components: [Component]
    let mode: Mode
    let redaction: Redaction
    let maxAgeInDays: Int?
    let requiresAllEntries: Bool
    let repeatsLastEntry: Bool
    let replaysDelays: Bool
    let recordsFailingTests: Bool
    let bundle: Bundle?
    var filePath: String

    /// Creates the description of a recording, which neither reads nor writes a file.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the folder `Recordings` beside the source file, without its
    ///     extension. `admin/users` is a file in a subfolder.
    ///   - components: The components that must be equal for an entry to match a request.
    ///   - mode: Whether requests are recorded. The environment variable `APIKIT_RECORD` overrides it.
    ///   - redaction: The rule for the secrets that placeholders replace.
    ///   - maxAgeInDays: The maximum age of an entry in whole days, or `nil` for any age. An older
    ///     entry fails the test.
    ///   - requiresAllEntries: Whether an entry that no request uses fails the test.
    ///   - repeatsLastEntry: Whether the last of the entries for equal requests responds to all
    ///     further ones.
    ///   - replaysDelays: Whether responses take as long as they took when they were recorded, on the
    ///     clock of the server.
    ///   - recordsFailingTests: Whether the file is also written if the test fails.
    ///   - bundle: The bundle that contains the file, for tests that run on a device.
    ///   - filePath: The source file of the test.
    public init(
        _ name: String,
        matching components: [Component] = [.method, .url],
        mode: Mode = .once,
        redacting redaction: Redaction = .secrets,
        maxAgeInDays: Int? = nil,
        requiresAllEntries: Bool = true,
        repeatsLastEntry: Bool = false,
        replaysDelays: Bool = false,
        recordsFailingTests: Bool = false,
        in bundle: Bundle? = nil,
        filePath: String = #filePath
    ) {
        self.name = name
        self.components = components
        self.mode = mode
        self.redaction = redaction
        self.maxAgeInDays = maxAgeInDays
        self.requiresAllEntries = requiresAllEntries
        self.repeatsLastEntry = repeatsLastEntry
        self.replaysDelays = replaysDelays
        self.recordsFailingTests = recordsFailingTests
        self.bundle = bundle
        self.filePath = filePath
    }
}
