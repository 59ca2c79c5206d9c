import Foundation
import Testing

/// Every block of Swift in the README files, the catalogs and the documentation comments, except the
/// tutorial, is a slice of a file that compiles.
@Suite(.inTurn) struct DocumentationTests {
    @Test(arguments: try Documentation.pages()) func everyBlockOfSwiftIsASlice(page: String) throws
    {
        let slices = try Documentation.slices().map(\.code)

        for block in try Documentation.blocks(of: page) where !slices.contains(block) {
            Issue.record("\(page) has a block that is not a slice of a snippet:\n\(block)")
        }
    }

    /// A wider line scrolls in a window of half the screen.
    @Test func linesOfCodeInTheCatalogsHaveEightyColumns() throws {
        for page in try Documentation.pages() where page.contains(".docc/") {
            for line in try Documentation.blocks(of: page).flatMap({ $0.split(separator: "\n") }) {
                #expect(line.count <= 80, "\(page): \(line)")
            }
        }
    }

    /// The code of its rows is a cell of a table, and not a slice.
    @Test func everyCallOfTheCheatSheetIsInItsSnippet() throws {
        let snippet = try Documentation.lines(
            of: "Tests/APIKitTestingTests/Snippets/CheatSheet.swift")
        let page = "Sources/APIKit/APIKit.docc/Articles/cheat-sheet.md"
        let calls = try Documentation.lines(of: page).compactMap {
            $0.firstMatch(of: /^\| .* \| `(.+)` \|/).map { String($0.output.1) }
        }

        #expect(calls.count == 20)
        #expect(calls.filter { call in !snippet.contains { $0.contains(call) } } == [])
    }

    @Test func everySliceIsOnAPage() throws {
        let blocks = try Documentation.pages().flatMap(Documentation.blocks)

        for slice in try Documentation.slices() where !blocks.contains(slice.code) {
            Issue.record("No page has the slice \(slice.name).")
        }
    }

    @Test(arguments: try Documentation.readmes()) func everyLinkLeadsToAFile(page: String) throws {
        for link in try Documentation.links(of: page) where !Documentation.exists(link, in: page) {
            Issue.record("\(page) links to \(link), which does not exist.")
        }
    }

    @Test func readmeLinksToEveryOtherReadme() throws {
        let folders = try Documentation.readmes().dropFirst().map {
            $0.dropLast("/README.md".count)
        }
        let links = try Documentation.links(of: "README.md")

        #expect(folders.contains("Examples/PointsOfInterest"))
        #expect(folders.filter { !links.contains(String($0)) } == [])
    }

    @Test func manifestOfTheTransportHasTheLineOfItsPage() throws {
        let folder = "Examples/AsyncHTTPClientTransport"
        let start = "let apiKit = Package.Dependency.package("

        for file in ["Package.swift", "README.md"] {
            let lines = try Documentation.lines(of: "\(folder)/\(file)")
            #expect(lines.filter { $0.hasPrefix(start) }.count == 1, "\(file)")
        }
    }

    @Test(arguments: ["APIKit", "APIKitTesting"]) func everyModuleHasACatalog(module: String) throws
    {
        #expect(try Documentation.pages().contains { $0.hasSuffix("/\(module).docc/\(module).md") })
    }
}
