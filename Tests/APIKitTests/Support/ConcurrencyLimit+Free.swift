import APIKit
import APIKitTesting
import Foundation

extension ConcurrencyLimit {
    /// Expects that a number of calls can run at the same time.
    func expectFree(_ places: Int) async throws {
        let clock = ManualClock()
        let call = try APICall(
            request: URLRequest(.get, "https://api.example.com"), apiRequest: EchoRequest())
        let response = try APIResponse(value: Data(), http: .make())
        let calls = (0..<places).map { _ in
            Task {
                try await intercept(call) { _ in
                    try await clock.sleepUntilOneSecond()
                    return response
                }
            }
        }
        await clock.waitForSleepers(places)
        clock.advance(by: .seconds(1))
        for call in calls { _ = try await call.value }
    }
}
