import APIKit
import Foundation

/// A server's reply to a request: a scripted response, or a closure that makes one.
enum Reply: Sendable {
    case response(MockResponse)
    case responder(@Sendable (RecordedRequest) async throws -> MockResponse)

    /// Returns the events of a plain reply, which takes no time and has no side effect.
    ///
    /// Returns `nil` for any other reply, which needs an exchange. An error of `check` replaces the
    /// response.
    func immediateEvents(
        for request: RecordedRequest, _ check: (MockResponse) throws -> Void
    ) -> [LoadingEvent]? {
        guard case .response(let response) = self, response.delay == .zero,
            response.uploadBytesPerSecond == nil, response.cookies.isEmpty,
            response.headers["Location"] == nil
        else { return nil }
        do {
            try check(response)
            return try response.selected(for: request).wholeEvents(for: request)
        } catch {
            return [.failed(error)]
        }
    }
}

/// An event of a load.
enum LoadingEvent: Sendable {
    case response(HTTPURLResponse)
    /// A whole body.
    case body(Data)
    /// A part of a body that arrives in pieces.
    case chunk(Data)
    case finished
    case failed(any Error)
}

extension MockResponse {
    /// Returns the events of the response, or `nil` if it does not arrive whole.
    func wholeEvents(for request: RecordedRequest) throws -> [LoadingEvent]? {
        guard bytesPerSecond == nil, truncation == nil, case .body(let body) = content
        else { return nil }
        return [.response(try head(for: request)), .body(self.body(body, for: request)), .finished]
    }

    /// Returns the head of the response to a request.
    ///
    /// - Throws: `URLError.badServerResponse` if the script has a mistake.
    func head(for request: RecordedRequest) throws -> HTTPURLResponse {
        if let receivedHead { return receivedHead }
        guard
            let head = HTTPURLResponse(
                url: request.url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: sentHeaders)
        else { throw URLError(.badServerResponse, failing: request.url) }
        return head
    }

    /// The header fields, with `nosniff` if the body arrives in pieces.
    ///
    /// Without `nosniff`, CFNetwork holds back the first 512 bytes of a body to guess its type. A
    /// test that waits for a chunk before it makes the next chunk would never end.
    private var sentHeaders: [String: String] {
        guard arrivesInPieces else { return headers }
        let name = "X-Content-Type-Options"
        let isSet = headers.keys.contains { $0.lowercased() == name.lowercased() }
        return isSet ? headers : headers.merging([name: "nosniff"]) { $1 }
    }

    private var arrivesInPieces: Bool {
        if case .stream = content { return true }
        return bytesPerSecond != nil || truncation != nil
    }

    /// Returns the bytes of a body to send: none after a HEAD, and none with status 204 or 304.
    func body(_ body: Data, for request: RecordedRequest) -> Data {
        request.method == .head || [204, 304].contains(status) ? Data() : body
    }
}
