import Foundation

extension Options {
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
                radius = try arguments.count()
            case "--limit":
                limit = try arguments.count()
            case "--server":
                server = try arguments.value(
                    needs: "a URL such as http://localhost:8000", parse: serverURL)
            case "--deadline":
                deadline = try arguments.count()
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
    }
}

extension Arguments {
    // The maximum exceeds the circumference of the earth in meters, and any other sensible count.
    fileprivate mutating func count() throws -> Int {
        try value(needs: "a whole number from 1 to 1000000000") { text in
            Int(text).flatMap { (1...1_000_000_000).contains($0) ? $0 : nil }
        }
    }
}

private func serverURL(_ text: String) -> URL? {
    // Newer systems encode invalid characters, and older ones return `nil`.
    guard let url = URL(string: text), url.absoluteString == text,
        ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host, !host.isEmpty
    else { return nil }
    return url
}
