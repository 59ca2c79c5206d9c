import APIKit
import Foundation

/// A program that prints the points of interest near a coordinate.
@main struct Program {
    static func main() async {
        do {
            let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
            try Console.output(await output(for: options, client: client(for: options)))
        } catch {
            let failure = Failure(error)
            Console.error(failure.line)
            exit(failure.exitStatus)
        }
    }

    /// Returns the client of the source, with an observer if `--verbose` is set.
    static func client(for options: Options) -> APIClient {
        var client = options.source.client
        if options.isVerbose { client.observers = { _ in [ConsoleObserver()] } }
        return client
    }

    /// Loads the points of interest, and returns the text to print.
    static func output(for options: Options, client: APIClient) async throws -> String {
        if options.wantsHelp { return Options.help }
        let request = options.source.request(radius: options.radius, limit: options.limit)
        let points = try await client.load(request, with: options.near)
        guard !points.isEmpty else {
            return "There are no points of interest near \(options.near). Try a larger --radius."
        }
        return Table(points: NearbyPoint.list(points, from: options.near)).description
    }
}
