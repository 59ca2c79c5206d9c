import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    /// Work with 1, 100 and 10,000 of everything that an app or a test can have many of.
    static let growth =
        growthOfRoutes + growthOfRequests + growthOfRecordings + growthOfWaiting + growthOfCaches
        + growthOfStreams + growthOfCalls + growthOfFields

    /// Compares one operation with 100 and 10,000 of something to the same operation with one.
    ///
    /// The ratio is 1 if the operation does not depend on their number.
    ///
    /// - Parameters:
    ///   - name: The operation.
    ///   - thing: The name of one of the things.
    ///   - repetitions: The number of operations in a run.
    ///   - prepare: Returns a run with a number of things.
    /// - Returns: The comparisons.
    static func flat(
        _ name: String, with thing: String, repetitions: Int = 1,
        prepare: @escaping @Sendable (_ count: Int) async throws -> CheckedRun
    ) -> [Comparison] {
        func workload(_ count: Int) -> Workload {
            Workload("\(name), with \(text(count, thing))", count: repetitions) {
                checking(try await prepare(count))
            }
        }
        return [100, 10_000].map { Comparison(workload($0), to: workload(1), limit: limit) }
    }

    /// Compares an operation on a number of things to the same on a hundredth of them.
    ///
    /// The times are those for each thing, so the ratio is at most 1 if the cost is linear. Beside a
    /// single thing, the fixed cost of the operation would hide what 10,000 add to each other.
    static func linear(
        _ name: String, each thing: String, counts: [Int] = [100, 10_000],
        prepare: @escaping @Sendable (_ count: Int) async throws -> CheckedRun
    ) -> [Comparison] {
        func workload(_ count: Int) -> Workload {
            Workload("\(name), each of \(text(count, thing))", count: count) {
                checking(try await prepare(count))
            }
        }
        return counts.map { Comparison(workload($0), to: workload($0 / 100), limit: limit) }
    }

    /// A run that returns whether its result is right.
    typealias CheckedRun = @Sendable () async throws -> Bool

    /// The ratio that no load of the machine explains: a hundred times the work for each thing would
    /// be a ratio of 100.
    private static let limit: Double = 20

    /// Returns whether a check holds for each number below a count.
    static func all(
        _ count: Int, _ check: (_ number: Int) async throws -> Bool
    ) async rethrows -> Bool {
        for number in 0..<count {
            guard try await check(number) else { return false }
        }
        return true
    }

    private static func checking(_ run: @escaping CheckedRun) -> Workload.Run {
        return { try WrongResult.unless(try await run()) }
    }

    private static func text(_ count: Int, _ thing: String) -> String {
        if count == 1 { return "1 \(thing)" }
        return "\(count) \(thing.hasSuffix("y") ? thing.dropLast() + "ie" : thing)s"
    }
}

/// A sum that tasks add to at once.
final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    var sum: Int { lock.withLock { value } }

    func add(_ count: Int) { lock.withLock { value += count } }
}

extension MockServer {
    /// Sends a request, and returns whether the response is an empty 200, or has a text as its body.
    func responds(to request: URLRequest, with text: String = "") async throws -> Bool {
        let (data, response) = try await send(request)
        return (response as? HTTPURLResponse)?.statusCode == 200 && data == Data(text.utf8)
    }
}

extension URLRequest {
    init(to url: String) throws {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        self.init(url: url)
    }
}

extension APICall {
    init(to url: String, _ fields: [String: String] = [:]) throws {
        var request = try URLRequest(to: url)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        self.init(request: request, apiRequest: PointsOfInterestRequest())
    }

    func respond(
        _ status: Int = 200, _ fields: [String: String] = [:]
    ) throws -> APIResponse<Data> {
        guard let url = request.url,
            let http = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil, headerFields: fields)
        else { throw WrongResult() }
        return APIResponse(value: Data(), http: http)
    }
}
