import Foundation
import Testing

@Suite struct DocumentationTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The code blocks of a page that hold Swift source, and not a part of a manifest.
    private static func codeBlocks(of page: String) throws -> [String] {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.hasPrefix("dependencies:") && !$0.hasPrefix(".product(") }
    }

    @Test(arguments: ["README.md"])
    func everyCodeBlockIsPartOfASnippet(page: String) throws {
        let folders = ["Snippets", "Tests/APIKitTestingTests/Snippets"]
        let snippets = try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
        }
        .map { try String(contentsOf: $0, encoding: .utf8) }
        let blocks = try Self.codeBlocks(of: page)

        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(snippets.contains { $0.contains(block) }, "Not in any snippet:\n\(block)")
        }
    }
}
