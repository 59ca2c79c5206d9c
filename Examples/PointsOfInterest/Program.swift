import APIKit
import Foundation

/// A program that prints the points of interest near a coordinate, nearest first.
@main struct Program {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            print(try await output(for: arguments, client: client(for: arguments.source)))
        } catch {
            writeToStandardError("\(error)")
            exit(1)
        }
    }

    /// Returns the client of a source, which writes a line to standard error for each call.
    ///
    /// A test passes a clock that takes no real time, and reads the lines.
    static func client(
        for source: Source,
        clock: some Clock<Duration> = ContinuousClock(),
        write: @escaping @Sendable (String) -> Void = writeToStandardError
    ) -> APIClient {
        let deadline = Duration.seconds(20)
        var client = source.client
        // The first interceptor is the outermost. The deadline therefore limits the whole call,
        // with all attempts and the delays between them. After Retry, it would limit each attempt.
        client.interceptors = [
            WaitingNotice(deadline: deadline, clock: clock, write: write),
            Deadline(deadline, clock: clock),
            Retry(clock: clock),
        ]
        client.observers = { call in [LogObserver(call, clock: clock) { write($0.description) }] }
        return client
    }

    /// Loads the points of interest, and returns the text to print.
    static func output(for arguments: Arguments, client: APIClient) async throws -> String {
        let place = arguments.place
        let points = try await load(arguments.source.request, near: place, client: client)
        guard !points.isEmpty else { return "There are no points of interest near \(place)." }
        // A point without a coordinate is the last.
        return points.map { point in (point, point.coordinate.map(place.distance(to:))) }
            .sorted { ($0.1 ?? .infinity) < ($1.1 ?? .infinity) }
            .map { point, distance in
                distance.map { "\(point.name), \(Int($0.rounded())) m" } ?? point.name
            }
            .joined(separator: "\n")
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

    @Sendable private static func writeToStandardError(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
