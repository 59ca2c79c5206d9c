import APIKit
import Foundation

/// The exchanges with the real server in a test, in the order of the requests.
final class Recorder: Sendable {
    /// Starts an entry for a request, at its place in the order.
    func begin(_ request: RecordedRequest) -> Int { 0 }

    /// Returns the content of a response, which completes the entry when its last chunk is read.
    func record(
        _ content: MockResponse.Content, _ head: HTTPURLResponse, of entry: Int
    ) -> MockResponse.Content {
        content
    }

    /// Completes the entry of a redirect, whose body nobody reads.
    func finish(_ entry: Int, with redirect: HTTPURLResponse) {}

    /// The complete entries.
    var entries: [HAREntry] { [] }
}
