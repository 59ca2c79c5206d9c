import Foundation

/// A server's reply to a request: a scripted response, or a closure that makes one.
enum Reply: Sendable {
    case response(MockResponse)
    case responder(@Sendable (RecordedRequest) async throws -> MockResponse)

    /// Returns the events of a plain reply, which takes no time and has no side effect.
    ///
    /// Returns `nil` for any other reply. An ``Exchange`` plays those.
    func immediateEvents(for request: RecordedRequest) throws -> [LoadingEvent]? {
        guard case .response(let response) = self, response.delay == .zero,
            response.uploadBytesPerSecond == nil, response.cookies.isEmpty,
            response.headers["Location"] == nil
        else { return nil }
        return try response.selected(for: request).wholeEvents(for: request)
    }
}
