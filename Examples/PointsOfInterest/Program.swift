import APIKit
import Foundation

/// A program that prints the points of interest near a coordinate.
@main struct Program {
    static func main() async {
        do {
            try Console.prepare()
            let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
            try Console.output(await output(for: options, client: client(for: options)))
        } catch {
            let failure = Failure(error)
            Console.error(failure.message)
            exit(failure.exitStatus)
        }
    }

    /// Returns the client of the source.
    ///
    /// A test passes a clock that takes no real time, and reads the lines for standard error.
    static func client(
        for options: Options,
        isTerminal: Bool = Console.isTerminal,
        clock: some Clock<Duration> = ContinuousClock(),
        write: @escaping @Sendable (String) -> Void = Console.error
    ) -> APIClient {
        let deadline = Duration.seconds(options.deadline)
        var client = options.source.client
        // The first interceptor is the outermost. The deadline therefore limits the whole call,
        // with all attempts and the delays between them. After Retry, it would limit each attempt.
        client.interceptors = [Deadline(deadline, clock: clock), Retry(clock: clock)]
        if isTerminal || options.isVerbose {
            let notice = WaitingNotice(deadline: deadline, clock: clock, write: write)
            client.interceptors.insert(notice, at: 0)
        }
        if options.isVerbose {
            client.observers = { call in
                let start = clock.now
                return [
                    LogObserver(call, detail: .headers, clock: clock) { line in
                        let seconds = start.duration(to: clock.now) / .seconds(1)
                        write("\(String(format: "%.2f", seconds)) s  \(line)")
                    }
                ]
            }
        }
        return client
    }

    /// Loads the points of interest, and returns the text to print.
    static func output(for options: Options, client: APIClient) async throws -> String {
        if options.wantsHelp { return Options.help }
        let request = options.source.request(radius: options.radius, limit: options.limit)
        let points = try await load(request, near: options.near, client: client)
        guard !points.isEmpty else {
            return "There are no points of interest near \(options.near). Try a larger --radius."
        }
        return Table(points: NearbyPoint.list(points, from: options.near)).description
    }

    /// Loads points with a loader, which sends requests of one type with the client.
    private static func load(
        _ request: some APIRequest<Coordinate, [PointOfInterest]>,
        near coordinate: Coordinate,
        client: APIClient
    ) async throws -> [PointOfInterest] {
        let loader = APIRequestLoader(apiRequest: request, client: client)
        return try await loader.load(coordinate)
    }
}
