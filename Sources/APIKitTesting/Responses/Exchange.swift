import APIKit
import Foundation

/// One load, from its first request through all redirects to its last response.
struct Exchange: Sendable {
    /// Returns the reply to a request, and sets the request's path parameters.
    ///
    /// The flag is whether the request follows a redirect of the real network.
    let reply: @Sendable (inout RecordedRequest, Bool) -> Reply
    /// The configuration of the session that loads, if there is a session.
    let configuration: URLSessionConfiguration?
    /// Loads a request from the real network.
    let network: @Sendable (URLRequest) async throws -> (MockResponse.Content, HTTPURLResponse)
    /// Returns the next request of a redirect, or `nil` if the redirect is the response.
    let redirect: @Sendable (HTTPURLResponse, URLRequest) async -> URLRequest?
    /// Reports a step of sending the body, if a delegate or a caller uses the progress.
    let report: UploadStep.Report?

    /// Plays the reply to a request, and follows its redirects.
    ///
    /// - Throws: The error that ends the load, or `CancellationError`.
    func play(
        _ first: Reply, to request: URLRequest, recorded: RecordedRequest,
        on clock: some Clock<Duration>, receive: @Sendable ([LoadingEvent]) -> Void
    ) async throws {
        var (reply, request, recorded) = (first, request, recorded)
        let start = clock.now
        for count in 0... {
            let cookies = configuration?.storedCookies(for: request)
            var playback = Playback(
                of: recorded, on: clock, since: start,
                timeouts: Timeouts(of: request, in: configuration))
            let scripted: MockResponse
            switch reply {
            case .response(let response):
                scripted = response
                try await playback.upload(to: response, report)
            case .responder(let respond):
                try await playback.upload(report)
                scripted = try await playback.wait { [recorded] in try await respond(recorded) }
            }
            var response = scripted.selected(for: recorded)
            try await playback.sleep(for: response.delay)
            if response.isPassthrough {
                (response.content, response.receivedHead) = try await playback.wait {
                    [network, request = recorded.urlRequest] in try await network(request)
                }
            } else {
                configuration?.store(response.cookies, after: request)
            }
            guard let (head, target) = try response.redirect(of: recorded),
                var next = await redirect(head, target)
            else {
                return try await playback.play(response, to: receive)
            }
            guard count < Redirect.limit, let url = next.url else {
                throw URLError(.httpTooManyRedirects, failing: recorded.url)
            }
            // The next URL has other cookies, and the response may have changed them.
            if next.value(forHTTPHeaderField: "Cookie") == cookies {
                next.setValue(nil, forHTTPHeaderField: "Cookie")
            }
            if let cookies = configuration?.storedCookies(for: next) {
                next.setValue(cookies, forHTTPHeaderField: "Cookie")
            }
            request = next
            // Add no field of the configuration here: the redirect has already kept or removed each
            // of them.
            let source = recorded.target
            recorded = RecordedRequest(next, url: url, body: next.httpBody ?? Data())
            recorded.redirectSource = source
            reply = self.reply(&recorded, response.isPassthrough)
        }
    }
}

extension MockResponse {
    /// Returns the head and the next request of a redirect, or `nil` for any other response.
    fileprivate func redirect(
        of recorded: RecordedRequest
    ) throws -> (HTTPURLResponse, URLRequest)? {
        guard isPassthrough || headers["Location"] != nil else { return nil }
        let head = try head(for: recorded)
        guard var next = Redirect.request(after: head, to: recorded.urlRequest) else { return nil }
        // The delegate may replace the body.
        next.setValue(nil, forHTTPHeaderField: "Content-Length")
        return (head, next)
    }
}
