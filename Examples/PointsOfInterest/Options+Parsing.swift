import Foundation

extension Options {
    // The maximum exceeds the circumference of the earth in meters, and the length of any list.
    private static let counts = 1...1_000_000_000

    /// Reads the arguments of the program, which do not include its name.
    ///
    /// - Throws: An `OptionError` for the first invalid argument.
    init(arguments: [String]) throws {
        var arguments = Arguments(arguments)
        var server: URL?
        var usesWikipedia = false
        while let option = try arguments.nextOption() {
            switch option {
            case "--near":
                near = try arguments.value(
                    needs: "LAT,LONG such as 37.3293,-121.8893", parse: Coordinate.init)
            case "--radius":
                radius = try arguments.value(in: Self.counts)
            case "--limit":
                limit = try arguments.value(in: Self.counts)
            case "--server":
                server = try arguments.value(
                    needs: "a URL such as http://localhost:8000", parse: serverURL)
            case "--wikipedia":
                usesWikipedia = true
            case "--verbose":
                isVerbose = true
            case "--help", "-h":
                wantsHelp = true
                return
            default:
                throw OptionError.unknownOption(option)
            }
        }
        if usesWikipedia, server != nil { throw OptionError.conflict("--server", "--wikipedia") }
        source = usesWikipedia ? .wikipedia : server.map(Source.server) ?? .atlas
        if usesWikipedia { try checkLimitsOfWikipedia() }
    }

    private func checkLimitsOfWikipedia() throws {
        try check(radius, of: "--radius", isIn: WikipediaRequest.radii)
        try check(limit, of: "--limit", isIn: WikipediaRequest.limits)
    }

    private func check(_ value: Int?, of option: String, isIn range: ClosedRange<Int>) throws {
        guard let value, !range.contains(value) else { return }
        throw OptionError.invalidValue(
            "\(value)", option: option, needs: "\(text(of: range)) with --wikipedia")
    }
}

extension Arguments {
    fileprivate mutating func value(in range: ClosedRange<Int>) throws -> Int {
        try value(needs: text(of: range)) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

private func text(of range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
}

private func serverURL(_ text: String) -> URL? {
    // Newer systems encode invalid characters, and older ones return `nil`.
    guard let url = URL(string: text), url.absoluteString == text,
        ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host, !host.isEmpty
    else { return nil }
    return url
}
