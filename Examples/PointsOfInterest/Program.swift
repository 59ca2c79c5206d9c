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

    /// Returns the client of the source, with an observer where the user wants to know.
    static func client(for options: Options) -> APIClient {
        var client = options.source.client
        if options.isVerbose { client.observers = { _ in [ConsoleObserver()] } }
        return client
    }

    /// Loads the points of interest, and returns what to print.
    static func output(for options: Options, client: APIClient) async throws -> String {
        if options.wantsHelp { return Options.help }
        let request = options.source.request(radius: options.radius, limit: options.limit)
        let points = try await client.load(request, with: options.near)
        guard !points.isEmpty else {
            return "There is nothing to see near \(options.near); a larger --radius may help."
        }
        return Table(points: NearbyPoint.list(points, from: options.near)).description
    }
}
