import APIKit
import Foundation
import Testing

/// Cancels loads at random moments, and expects each load to complete exactly once.
///
/// A mistake in the transport crashes the process, or keeps a load pending forever.
enum CancellationRace {
    typealias Load = @Sendable (_ number: Int) async throws -> (Data, URLResponse)

    /// The two ways to receive a response.
    enum Way: CaseIterable {
        case load, stream

        func load(
            _ request: URLRequest, by transport: any HTTPTransport
        ) async throws -> (Data, URLResponse) {
            switch self {
            case .load: return try await transport.send(request)
            case .stream:
                let (stream, response) = try await transport.stream(request)
                return (try await stream.data(), response)
            }
        }
    }

    static let lanes = 20
    static let loadsPerLane = Stress.loads / lanes

    /// Starts and cancels many loads, and expects each to succeed or to throw `CancellationError`.
    static func run(loadsPerLane: Int = loadsPerLane, _ load: @escaping Load) async {
        let outcomes = await withTaskGroup(of: Outcomes.self) { group in
            for lane in 0..<lanes {
                group.addTask { await race(loadsPerLane, load, seed: UInt64(lane)) }
            }
            return await group.reduce(into: Outcomes()) { $0.add($1) }
        }

        #expect(outcomes.wrong == 0)
        // The last load of each lane is not canceled. On a slow machine it is the only one to succeed.
        #expect(outcomes.succeeded >= lanes)
        #expect(outcomes.canceled > 0)
        #expect(outcomes.succeeded + outcomes.canceled == lanes * (loadsPerLane + 1))
    }

    /// Starts loads in sequence, cancels each after a pseudorandom number of yields, and lets one more
    /// complete, because the transport must work after the canceled loads.
    private static func race(
        _ count: Int, _ load: @escaping Load, seed: UInt64
    ) async -> Outcomes {
        var random = SeededGenerator(seed: seed)
        var outcomes = Outcomes()
        for number in 0..<count {
            let load = Task { try await load(number) }
            // A random exponent makes short waits as frequent as long ones, to reach each stage of a load.
            for _ in 0..<(1 << Int.random(in: 0..<12, using: &random)) { await Task.yield() }
            load.cancel()
            outcomes.count(await load.result)
        }
        outcomes.count(await Task { try await load(count) }.result)
        return outcomes
    }
}

/// The number of loads with each outcome.
private struct Outcomes: Sendable {
    private(set) var succeeded = 0
    private(set) var canceled = 0
    private(set) var wrong = 0

    mutating func count(_ result: Result<(Data, URLResponse), any Error>) {
        switch result {
        case .success((let data, _)) where data == Data("hello".utf8): succeeded += 1
        case .failure(is CancellationError): canceled += 1
        default: wrong += 1
        }
    }

    mutating func add(_ other: Outcomes) {
        succeeded += other.succeeded
        canceled += other.canceled
        wrong += other.wrong
    }
}
