import APIKit
import Foundation

/// One load from its first request to its last response, redirects and all.
struct Exchange: Sendable {
    /// What to do about a request.
    let answer: @Sendable (RecordedRequest) -> Answer
    let clock: any Clock<Duration>
    /// The configuration of the session that loads, if there is a session.
    let configuration: URLSessionConfiguration?
    /// Where a redirect leads after the delegates have been asked, or `nil` if it is the answer.
    let redirect: @Sendable (HTTPURLResponse, URLRequest) async -> URLRequest?

    /// Returns a request as the server sees it, with what the session adds.
    func record(_ request: URLRequest, url: URL, body: Data) -> RecordedRequest {
        RecordedRequest(
            request, url: url, body: body,
            additionalHeaders: configuration?.additionalHeaders(for: url) ?? [:])
    }

    /// Plays the answer to a request, and to those that it redirects to.
    ///
    /// - Throws: The error that the load ends with, or `CancellationError`.
    func run(
        _ first: Answer, to request: URLRequest, recorded: RecordedRequest,
        receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        var (current, request, recorded) = (first, request, recorded)
        let timeline = Timeline(self.clock)
        for count in 0... {
            var playback = Playback(
                of: recorded, on: timeline, timeouts: Timeouts(of: request, in: configuration))
            let response: MockResponse
            switch current {
            case .reply(let reply): response = reply
            case .respond(let respond): response = try await playback.wait(for: respond)
            case .fail(let error): throw error
            }
            try await playback.sleep(for: response.delay)
            configuration?.store(response.cookies, from: recorded.url)
            guard let (head, target) = try response.redirect(of: recorded),
                var next = await redirect(head, target)
            else {
                return try await playback.play(response, to: receive)
            }
            guard count < Redirect.limit, let url = next.url else {
                throw URLError(.httpTooManyRedirects, failing: recorded.url)
            }
            // A response may have changed the cookies.
            if let cookies = configuration?.additionalHeaders(for: url)["Cookie"] {
                next.setValue(cookies, forHTTPHeaderField: "Cookie")
            }
            request = next
            // Without the additional header fields: the redirect has kept those that may follow.
            recorded = RecordedRequest(next, url: url, body: next.httpBody ?? Data())
            current = answer(recorded)
        }
    }
}

extension MockResponse {
    /// Where the response redirects a request to, if it does.
    fileprivate func redirect(
        of recorded: RecordedRequest
    ) throws -> (HTTPURLResponse, URLRequest)? {
        guard headers["Location"] != nil else { return nil }
        let head = try head(for: recorded)
        return Redirect.request(after: head, to: recorded.urlRequest).map { (head, $0) }
    }
}
