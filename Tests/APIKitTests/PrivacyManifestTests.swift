import Foundation
import Testing

/// The privacy manifest of APIKit, which tells the App Store why its code calls certain functions.
@Suite(.inTurn) struct PrivacyManifestTests {
    private let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The functions that need a reason, as a pattern for each category of Apple's list.
    private let patterns = [
        "NSPrivacyAccessedAPICategoryFileTimestamp":
            #"\b[fl]?stat(at)?\(|getattrlist|(creation|odification)Date|attributesOfItem"#,
        "NSPrivacyAccessedAPICategorySystemBootTime": "systemUptime|mach_absolute_time",
        "NSPrivacyAccessedAPICategoryDiskSpace":
            #"statv?fs|volume\w*Capacity|systemFreeSize|systemSize|attributesOfFileSystem"#,
        "NSPrivacyAccessedAPICategoryActiveKeyboards": "activeInputModes",
        "NSPrivacyAccessedAPICategoryUserDefaults": "UserDefaults",
    ]

    @Test func manifestDeclaresTheCategoriesThatTheSourcesUse() throws {
        let sources = try sources()
        let used = patterns.filter {
            sources.range(of: $0.value, options: .regularExpression) != nil
        }

        let declared = try #require(manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])

        #expect(
            Set(declared.map { $0["NSPrivacyAccessedAPIType"] as? String }) == Set(used.map(\.key)))
        #expect(
            declared.map { $0["NSPrivacyAccessedAPITypeReasons"] as? [String] }
                == [["C617.1", "3B52.1"]])
    }

    @Test func manifestDeclaresNoTracking() throws {
        let manifest = try manifest()

        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
    }

    @Test func packageContainsTheManifestOnApplePlatforms() throws {
        let package = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)

        #expect(
            package.contains(
                """
                #if canImport(Darwin)
                let apiKit = Target.target(name: "APIKit", resources: [.process("PrivacyInfo.xcprivacy")])

                """))
    }

    private func manifest() throws -> [String: Any] {
        let data = try Data(
            contentsOf: root.appending(path: "Sources/APIKit/PrivacyInfo.xcprivacy"))
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try #require(list as? [String: Any])
    }

    /// The code of APIKit, without the comments.
    private func sources() throws -> String {
        let folder = root.appending(path: "Sources/APIKit")
        let files = try #require(FileManager.default.subpaths(atPath: folder.path))
        return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
            try Data(contentsOf: folder.appending(path: file)).split(separator: UInt8(ascii: "\n"))
                .filter { !$0.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
                .map { String(decoding: $0, as: UTF8.self) }
        }.joined(separator: "\n")
    }
}
