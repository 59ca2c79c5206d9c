import APIKit
import Foundation

/// A recording of real responses, in a file beside the test, and the rules for its use.
///
/// ```swift
/// server.replay(Cassette("users", redacting: .secrets.adding(values: ["ssn"])))
/// ```
public struct Cassette: Sendable, ExpressibleByStringLiteral {
    /// A rule for the use of a recording, other than the default.
    public enum Option: Sendable, Hashable {
        /// An entry that no request uses does not fail the test.
        case allowsUnusedEntries
        /// The last of the entries for equal requests responds to all further requests.
        case repeatsLastEntry
        /// A check sends requests of all methods, which can change data on the server.
        ///
        /// Otherwise it sends only GET, HEAD and OPTIONS, and the recording replies to all other
        /// requests. See ``Cassette/Mode/check``.
        case checksAllMethods
    }

    /// The name of the file without its extension, such as `users` for `Recordings/users.har`.
    public let name: String

    let matching: Component
    let mode: Mode
    let redaction: Redaction
    let options: Set<Option>
    let bundle: Bundle?
    /// The source file of the test, which is empty in a literal.
    var filePath: String

    /// Creates the description of a recording, without reading or writing a file.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the folder `Recordings` beside the source file, without its
    ///     extension. `admin/users` is a file in a subfolder.
    ///   - components: The components that must be equal for an entry to match a request.
    ///   - mode: Whether requests are recorded. The environment variable `APIKIT_RECORD` overrides it.
    ///   - redaction: The rule for the secrets that placeholders replace.
    ///   - options: The rules that differ from the default.
    ///   - bundle: The bundle that contains the file, for tests that run on a device.
    ///   - filePath: The source file of the test.
    public init(
        _ name: String,
        matching components: [Component] = [.method, .url, .body],
        mode: Mode = .once,
        redacting redaction: Redaction = .secrets,
        options: Set<Option> = [],
        in bundle: Bundle? = nil,
        filePath: String = #filePath
    ) {
        self.name = name
        matching = Component(
            parts: Set(components.flatMap(\.parts)), ignored: Set(components.flatMap(\.ignored)),
            templates: Set(components.flatMap(\.templates)))
        self.mode = mode
        self.redaction = redaction
        self.options = options
        self.bundle = bundle
        self.filePath = filePath
    }

    /// Creates the description of a recording with the default rules, beside the source file of the call
    /// that receives it.
    public init(stringLiteral name: String) { self.init(name, filePath: "") }

    /// Returns the cassette of a call, in whose source file a literal stands.
    func inFile(_ path: StaticString) -> Cassette {
        var cassette = self
        if filePath.isEmpty { cassette.filePath = "\(path)" }
        return cassette
    }
}

extension Cassette {
    /// Whether requests go to the real server and are recorded.
    ///
    /// If the environment variable `APIKIT_RECORD` is set to the name of a mode, it replaces the mode of
    /// each cassette.
    public enum Mode: String, Sendable, CaseIterable {
        /// Records if there is no file, and otherwise replays. If the environment variable `CI` is
        /// set, this mode does not record, unless `APIKIT_RECORD` names it.
        case once
        /// Replays, and never records.
        case none
        /// Replays the entries that match, and records all other requests.
        ///
        /// If the folder of the source file does not exist, as on a device, this mode only replays.
        case newEpisodes
        /// Records all requests, and replaces the entries of the test. Replaces a broken file.
        case all
        /// Replays, and masks the entries of the file again, with the current rule of the cassette.
        case mask
        /// Sends the requests with GET, HEAD and OPTIONS to the real server, and compares its responses
        /// with the entries that would have replied. Changes no recording.
        ///
        /// Values are not compared. A response that the request type cannot parse fails the test. A
        /// change with which it gives less, such as `nil`, is a warning. A test without a compared
        /// entry fails.
        case check
    }
}

extension Cassette {
    /// A component of a request that must be equal for an entry to match.
    ///
    /// ``ignoring(_:)`` excludes values that change with each run, such as a time or a random identifier:
    ///
    /// ```swift
    /// Cassette("dogs", matching: [.method, .url, .body, .ignoring("ts", "nonce")])
    /// ```
    public struct Component: Sendable, Hashable {
        enum Part: Hashable {
            case method, origin, path, query, body
            case header(String)
        }

        /// The compared parts of a request.
        var parts: Set<Part> = []
        /// The names of values that do not matter.
        var ignored: Set<String> = []
        /// The templates of segments that do not matter.
        var templates: Set<String> = []

        /// The method, and the `Range` of a request for a part of a resource.
        public static let method = Component(parts: [.method])
        /// The scheme, the host, the port, the path, and the items of the query in any order.
        public static let url = Component(parts: [.origin, .path, .query])
        /// The path.
        public static let path = Component(parts: [.path])
        /// The items of the query, in any order.
        public static let query = Component(parts: [.query])
        /// The body.
        ///
        /// The order of JSON members and form fields, white space in JSON, and the boundary of a
        /// multipart body do not matter. A part or a field can be JSON too. An entry without a
        /// recorded request body, as in most exports of browsers, matches any body.
        public static let body = Component(parts: [.body])
        /// The value of a header field, whose name may have any case.
        public static func header(_ name: String) -> Component {
            Component(parts: [.header(name.lowercased())])
        }

        /// The path, without the segments that match a placeholder of a template.
        ///
        /// - Parameter templates: Paths such as `/uploads/{id}/parts` and `/jobs/*`.
        /// - Returns: The component.
        public static func path(ignoring templates: String...) -> Component {
            Component(parts: [.path], templates: Set(templates))
        }

        /// Excludes the query items, form fields, parts, and JSON members at any depth that have one of the
        /// names.
        ///
        /// It compares nothing by itself.
        public static func ignoring(_ names: String...) -> Component {
            Component(ignored: Set(names))
        }
    }
}

extension Cassette {
    var sourceFile: URL { URL(filePath: filePath) }

    /// The file beside the test, which recordings are written to.
    var fileBesideTest: URL { sourceFile.deletingLastPathComponent().appending(path: shownPath) }

    /// The path of the file in its folder, for messages.
    var shownPath: String { "Recordings/\(name).har" }

    /// Whether the folder of the source file is on this machine.
    var hasSourceFolder: Bool {
        FileManager.default.fileExists(
            atPath: sourceFile.deletingLastPathComponent().path(percentEncoded: false))
    }

    /// Throws unless the name is the path of a file below the folder `Recordings`, and the templates
    /// of ignored segments are valid.
    func check() throws {
        if let problem = matching.templates.sorted().compactMap({ PathTemplate($0).problem }).first
        {
            throw TestFailure("The cassette \(name.debugDescription): \(problem).", at: nil)
        }
        let parts = name.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isFileName), parts[0] != "recordings",
            !name.lowercased().hasSuffix(".har")
        else {
            throw TestFailure(
                """
                \(name.debugDescription) is not the name of a recording. Use a name such as users \
                or admin/users, also for Windows, without "..", Recordings and the extension .har.
                """, at: nil)
        }
    }

    /// Returns whether a file can have a name in lower case, also on Windows.
    ///
    /// Source: https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
    private static func isFileName(_ name: Substring) -> Bool {
        let device = name.prefix { $0 != "." }
        let isDevice =
            ["con", "prn", "aux", "nul"].contains(device)
            || device.utf8.count == 4 && ["com", "lpt"].contains(device.prefix(3))
                && device.dropFirst(3).isDigits
        return !name.isEmpty && !isDevice && !name.hasSuffix(".") && !name.hasSuffix(" ")
            && name.utf8.allSatisfy { $0 >= 0x20 && !#"<>:"|?*\"#.utf8.contains($0) }
    }
}
