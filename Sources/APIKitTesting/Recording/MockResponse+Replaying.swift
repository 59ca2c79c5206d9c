import APIKit
import Foundation

extension MockResponse {
    /// Creates the recorded response of an entry.
    ///
    /// The header fields are those of the recording. Only `Content-Length` changes, to the length of
    /// the body without content coding.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isDelayed: Whether the response takes as long as the recorded one.
    init(replaying entry: HAREntry, isDelayed: Bool) {
        let (status, body) = (entry.response.status, entry.response.body)
        // Browsers export a request that failed without a response with this status.
        guard status != 0 else {
            self.init(.failure { URLError(.networkConnectionLost, failing: $0) })
            return
        }
        if let error = entry.response.error {
            let url = Redaction.secrets.text(ofValue: entry.request.url)
            let failure = TestFailure(
                "The recording of \(entry.request.method) \(url) \(error)", at: nil)
            self.init(.failure { _ in failure })
            return
        }
        var response = MockResponse(status: status, .body(body))
        response.headers = [:]
        for field in entry.response.headers where field.name.problemAsHeaderName == nil {
            let isLength = field.name.lowercased() == "content-length" && !entry.omitsContent
            // Some browsers join repeated fields with line breaks.
            for value in field.value.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            {
                response = response.header(field.name, isLength ? "\(body.count)" : String(value))
            }
        }
        self = isDelayed ? response.delayed(entry.wait) : response
    }
}
