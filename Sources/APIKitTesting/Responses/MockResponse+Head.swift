import APIKit
import Foundation

extension MockResponse {
    /// The head of the response to a request.
    func head(for request: RecordedRequest) throws -> HTTPURLResponse {
        guard
            let head = HTTPURLResponse(
                url: request.url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: sentHeaders)
        else { throw URLError(.badServerResponse, failing: request.url) }
        return head
    }

    /// The headers, with `nosniff` if the body arrives in pieces.
    ///
    /// CFNetwork holds back the first 512 bytes of a body whose type it may guess. A test that waits
    /// for a piece before it makes the next would never end.
    private var sentHeaders: [String: String] {
        let name = "X-Content-Type-Options"
        let isSet = headers.keys.contains { $0.lowercased() == name.lowercased() }
        return arrivesInPieces && !isSet ? headers.merging([name: "nosniff"]) { $1 } : headers
    }

    private var arrivesInPieces: Bool {
        if case .stream = content { return true }
        return bytesPerSecond != nil || truncation != nil
    }

    /// The part of a body that is sent: none after a HEAD, and none with a status that has none.
    func body(_ body: Data, for request: RecordedRequest) -> Data {
        request.method == .head || [204, 304].contains(status) ? Data() : body
    }

    /// The whole of the response, if nothing in it takes time or leads elsewhere.
    func immediateEvents(for request: RecordedRequest) throws -> [LoadingEvent]? {
        guard delay == .zero, bytesPerSecond == nil, truncation == nil, headers["Location"] == nil,
            cookies.isEmpty, case .body(let body) = content
        else { return nil }
        return [.response(try head(for: request)), .body(self.body(body, for: request)), .finished]
    }
}
