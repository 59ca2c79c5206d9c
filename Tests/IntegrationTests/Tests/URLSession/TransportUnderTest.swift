import APIKit
import Foundation

/// The transports that the shared suites test: URL sessions.
enum TransportUnderTest: CaseIterable {
    case session
    /// On Linux, APIKit cancels a task differently if the session has a cache.
    case sessionWithCache

    static let library = HostileDifference.Library.urlSession

    /// Whether an error tells what is wrong with a certificate.
    static let explainsCertificates = true

    /// Whether the cancellation of a request also closes a connection whose handshake is unfinished.
    static let closesCanceledHandshakes = true

    /// The versions of HTTP that the shared suites test.
    static let versions = HTTPVersion.allCases

    /// A new cache, or `nil`.
    var cache: URLCache? {
        switch self {
        case .session: nil
        case .sessionWithCache: URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
    }

    /// Makes a transport that shares no state with another transport.
    static func make(redirects: RedirectPolicy? = nil) -> any HTTPTransport {
        let session = URLSession.make()
        return redirects.map { session.redirecting($0) } ?? session
    }

    /// Makes a transport that trusts the authority of `TLSServer`.
    static func makeTrusting() -> any HTTPTransport {
        #if os(macOS)
        URLSession.make(delegate: TrustingDelegate())
        #else
        // All sessions trust it: see `makeTrustingHandle`.
        make()
        #endif
    }

    /// Makes a transport of this kind.
    func make() -> any HTTPTransport { URLSession.make(cache: cache) }

    /// Releases the resources of a transport.
    static func close(_ transport: any HTTPTransport) {
        // A session retains its resources until it is invalidated.
        (transport as? URLSession)?.finishTasksAndInvalidate()
    }

    /// Runs a closure with a transport, and waits until the transport has completed its last task.
    ///
    /// The transport sends the credential `rex` to `/login`.
    func run(while body: (any HTTPTransport) async throws -> Void) async throws {
        let delegate = ChallengeDelegate { challenge in
            challenge.failureResponse?.url?.path == "/login"
                ? (.useCredential, .rex) : (.performDefaultHandling, nil)
        }
        let session = URLSession.make(cache: cache, delegate: delegate)
        try await body(session)
        // The session becomes invalid only when all its tasks have completed.
        session.finishTasksAndInvalidate()
        for await _ in delegate.invalidation {}
    }
}
