import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct OptionsTests {
    private static let sydney = Coordinate(latitude: -33.8568, longitude: 151.2153)

    @Test func defaultsSearchTheAtlasAroundSanJose() throws {
        let options = try Options(arguments: [])

        #expect(options.near == Coordinate(latitude: 37.3293, longitude: -121.8893))
        #expect(options.source == .atlas)
        #expect(options.radius == nil)
        #expect(options.limit == nil)
        #expect(options.deadline == 20)
        #expect(!options.isVerbose)
        #expect(!options.wantsHelp)
    }

    @Test(arguments: [
        ["--near", "-33.8568,151.2153"], ["--near=-33.8568,151.2153"],
        ["--near", "-33.8568, 151.2153"], ["--near", "-33.8568,", "151.2153"],
        ["--near=-33.8568,", "151.2153"], ["--near", "1,1", "--near", "-33.8568,151.2153"],
    ])
    func nearAcceptsEveryUsualSpelling(arguments: [String]) throws {
        #expect(try Options(arguments: arguments) == Options(near: Self.sydney))
    }

    @Test func nearAcceptsACoordinateOutOfRange() throws {
        let options = try Options(arguments: ["--near", "91,0"])

        #expect(options.near == Coordinate(latitude: 91, longitude: 0))
    }

    @Test(arguments: [
        (
            ["--radius", "500", "--limit=3", "--deadline", "5"],
            Options(radius: 500, limit: 3, deadline: 5)
        ),
        (["--wikipedia", "--verbose"], Options(source: .wikipedia, isVerbose: true)),
        (["--help", "--nonsense"], Options(wantsHelp: true)),
        (["-h"], Options(wantsHelp: true)),
    ])
    func otherOptionsAreRead(arguments: [String], expected: Options) throws {
        #expect(try Options(arguments: arguments) == expected)
    }

    @Test(arguments: ["http://localhost:8000", "HTTPS://example.com/api/", "http://[::1]:80/"])
    func serverAcceptsAnHTTPURL(text: String) throws {
        let url = try #require(URL(string: text))

        #expect(try Options(arguments: ["--server", text]) == Options(source: .server(url)))
    }

    @Test(arguments: [
        (["--near"], "--near needs a value. --help lists the options."),
        (["--near="], "--near needs a value. --help lists the options."),
        (["--near", "--verbose"], "--near needs a value. --help lists the options."),
        (
            ["--near", "here"],
            "--near needs LAT,LONG such as 37.3293,-121.8893, not \"here\"."
        ),
        (
            ["--near", "1,", "--verbose"],
            "--near needs LAT,LONG such as 37.3293,-121.8893, not \"1,\"."
        ),
        (["--nearby", "1,1"], "The option --nearby does not exist. --help lists the options."),
        (["--nearby=1,1"], "The option --nearby does not exist. --help lists the options."),
        (["1.5,-121.8893"], "\"1.5,-121.8893\" is not an option. --help lists the options."),
        (["--verbose=yes"], "--verbose takes no value."),
        (["--verbose=yes", "--limit", "3"], "--verbose takes no value."),
        (
            ["--server", "http://localhost", "--wikipedia"],
            "--server and --wikipedia cannot be combined."
        ),
    ])
    func invalidArgumentsAreDescribedOnOneLine(arguments: [String], line: String) {
        expect(arguments, toBeRefusedWith: line)
    }

    @Test(
        arguments: ["--radius", "--limit", "--deadline"],
        ["0", "-5", "1.5", "ten", "1000000001", "9223372036854775808"])
    func invalidCountIsRefused(option: String, value: String) {
        let line = "\(option) needs a whole number from 1 to 1000000000, not \"\(value)\"."

        expect([option, value], toBeRefusedWith: line)
    }

    @Test(arguments: ["http://localhost/a b", "http://localhost/ü", "http://localhost/{id}"])
    func serverWithAnInvalidCharacterIsRefused(value: String) {
        let line = "--server needs a URL such as http://localhost:8000, not \"\(value)\"."

        expect(["--server", value], toBeRefusedWith: line)
    }

    @Test(arguments: ["localhost:8000", "example.com", "http://", "http:", "ftp://a.example", "/"])
    func serverWithoutSchemeAndHostIsRefused(value: String) {
        let line = "--server needs a URL such as http://localhost:8000, not \"\(value)\"."

        expect(["--server", value], toBeRefusedWith: line)
    }

    private func expect(_ arguments: [String], toBeRefusedWith line: String) {
        let error = #expect(throws: OptionError.self) { try Options(arguments: arguments) }
        #expect(error.map { "\($0)" } == line)
    }
}
