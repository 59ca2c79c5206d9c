import Foundation

extension Cassette {
    /// Returns the command that records the requests of a test.
    static func command(forTest filter: String) -> String {
        let isPlain = filter.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "_-./".utf8.contains($0)
        }
        let argument = isPlain ? filter : "'\(filter.replacing("'", with: #"'\''"#))'"
        return "APIKIT_RECORD=all swift test --filter \(argument)"
    }

    var sourceFile: URL { URL(filePath: filePath) }

    /// The file that recordings are written to.
    var recordedFile: URL { sourceFile.deletingLastPathComponent().appending(path: shownPath) }

    /// The path of the file in its folder, for messages.
    var shownPath: String { "Recordings/\(name).har" }

    /// Whether the folder of the source file is on this machine.
    var hasSourceFolder: Bool {
        FileManager.default.fileExists(
            atPath: sourceFile.deletingLastPathComponent().path(percentEncoded: false))
    }

    /// Throws unless the name is the path of a file below the folder `Recordings`.
    func checkName() throws {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isPath = parts.allSatisfy { !["", ".", ".."].contains($0) }
        guard isPath, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "\\" }) else {
            throw RecordingProblem(
                """
                \(name.debugDescription) is not the name of a recording. Use a name such as users \
                or admin/users, without "..".
                """)
        }
        guard parts.first?.lowercased() != "recordings" else {
            throw RecordingProblem(
                """
                The recording \(name.debugDescription) is named with its folder. Remove Recordings/.
                """)
        }
        guard !name.lowercased().hasSuffix(".har") else {
            throw RecordingProblem(
                "The recording \(name.debugDescription) is named with its extension. Remove .har.")
        }
    }
}
