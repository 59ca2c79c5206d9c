import Foundation

/// What a load tells its client.
enum LoadingEvent: Sendable {
    case response(URLResponse)
    case data(Data)
    case finished
    case failed(any Error)
}

extension MockResponse {
    /// The whole of the response, if nothing in it takes time.
    func immediateEvents(for request: RecordedRequest) -> [LoadingEvent]? {
        guard delay == .zero else { return nil }
        return events(for: request)
    }

    /// Plays the response, taking its time on a clock.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func play(
        for request: RecordedRequest,
        on clock: any Clock<Duration>,
        to receive: ([LoadingEvent]) -> Void
    ) async throws {
        if delay > .zero { try await clock.sleep(for: delay) }
        receive(events(for: request))
    }

    private func events(for request: RecordedRequest) -> [LoadingEvent] {
        switch outcome {
        case .complete(let body):
            guard
                let head = HTTPURLResponse(
                    url: Platform.url(ofResponseTo: request, status: status, headers: headers),
                    statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            else {
                return [.failed(URLError(.badServerResponse))]
            }
            let hasBody = !body.isEmpty && request.method != "HEAD"
            return [.response(head)] + (hasBody ? [.data(body)] : []) + [.finished]
        case .failure(let error):
            return [.failed(error(request.url))]
        case .never:
            return []
        case .broken:
            return [.failed(URLError(.badServerResponse))]
        }
    }
}
