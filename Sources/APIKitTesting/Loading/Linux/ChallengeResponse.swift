import APIKit
import Foundation

#if canImport(FoundationNetworking)

/// A 401 with a challenge that corelibs does not handle.
///
/// corelibs handles a Basic challenge itself when a load finishes: it sends the request over the real
/// network, or the load never ends. It ignores a challenge without a URL, so the response hides its
/// URL from corelibs, and from no other reader.
final class ChallengeResponse: HTTPURLResponse, @unchecked Sendable {
    /// The thread that the URL is hidden from.
    private let thread = Locked<Thread?>(nil)

    /// Creates a copy of a response, or `nil` if it is not a 401 with a challenge.
    convenience init?(_ response: HTTPURLResponse) {
        guard response.statusCode == 401,
            response.value(forHTTPHeaderField: "WWW-Authenticate") != nil, let url = response.url
        else { return nil }
        self.init(
            url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: response.headers)
    }

    override var url: URL? {
        // corelibs reads the URL once.
        let isHidden = thread.withLock { thread in
            guard thread != nil, thread === Thread.current else { return false }
            thread = nil
            return true
        }
        return isHidden ? nil : super.url
    }

    /// Hides the URL from the next reader on the current thread.
    func hideURL() { thread.withLock { $0 = Thread.current } }

    func showURL() { thread.withLock { $0 = nil } }
}

#endif
