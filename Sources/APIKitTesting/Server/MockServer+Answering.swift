import APIKit
import Foundation

/// What a server has decided to do about a request.
enum Answer: Sendable {
    case reply(MockResponse)
    case respond(@Sendable () async throws -> MockResponse)
    case fail(any Error)
}

extension MockServer {
    /// Records a request and decides what to do about it.
    func answer(_ request: RecordedRequest) -> Answer {
        var request = request
        let candidates = state.withLock { $0.index.candidates(for: request.pathSegments) }
        // Patterns and their closures are the user's code: no lock is held while they run.
        for route in LastFirst(candidates) {
            guard let parameters = route.pattern.match(request) else { continue }
            request.parameters = parameters
            switch route.claim(request) {
            case .reply(let response):
                record(request)
                return .reply(response)
            case .responder(let responder):
                record(request)
                return .respond { [request, weak self] in
                    let response = try await responder(request)
                    if let problem = response.problem { self?.report(problem, at: route.location) }
                    return response
                }
            case .usedUp:
                request.parameters = [:]
            case .forbidden:
                record(request)
                return fail(request, routes: [route])
            }
        }
        record(request)
        switch unhandled {
        case .fail: return fail(request, routes: state.withLock { $0.routes })
        case .passthrough: return .reply(.passthrough)
        case .reply(let response): return .reply(response)
        }
    }

    private func record(_ request: RecordedRequest) {
        let reached = state.withLock { state in
            state.journal.append(request)
            // Within the lock, so that no smaller count comes after a greater one.
            return arrivals.update(state.journal.count)
        }
        for waiter in reached { waiter.answer(.success(())) }
    }

    private func report(_ problem: String, at location: SourceCodeLocation) {
        state.withLock {
            $0.failures.append(TestFailure(wrongRoute: problem, at: location))
        }
    }

    private func fail(_ request: RecordedRequest, routes: [Route]) -> Answer {
        let report = UnhandledReport(request, routes: routes)
        // A route that was meant but not matched is one mistake with the unhandled request.
        report.closest?.markReported()
        state.withLock { $0.failures.append(TestFailure(report.text, at: nil)) }
        return .fail(UnhandledRequestError(request: request, message: report.text))
    }
}
