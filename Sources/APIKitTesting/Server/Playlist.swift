import APIKit
import Foundation

/// The entries of a cassette as routes, one for all equal requests.
struct Playlist: Sendable {
    /// The routes in the order of their first entries.
    let routes: [MockServer.Route]

    init(_ entries: [HAREntry], of cassette: Cassette, at location: SourceCodeLocation) {
        routes = []
    }

    /// Returns the routes that may match a request.
    func candidates(for request: RecordedRequest) -> [MockServer.Route] { [] }
}
