/// The kind of server that responds, and the way to it.
///
/// A package that runs the exchanges extends it with the backends that it has (`tested`), with a trait that
/// limits how many tests run at once (`turns`), and with functions that run a closure with a backend.
enum Backend: Sendable {
    /// The session of a mock.
    case session
    /// A session with the API of Apple's, whose network a test plays (`.ci/apple --run`).
    case apple
    /// A mock as the transport.
    case transport
    /// The port of a mock.
    case port
    /// A server that only has sockets.
    case loopback
    /// A recording of a server, which is stopped before the replay.
    case recording
    /// A server of another library.
    case flyingFox
    /// A server of another library, and a transport over async-http-client.
    case asyncHTTPClient
    /// A server of another library, through a mock.
    case passthrough
    /// A server of another library, over HTTP/2.
    case http2

    /// The backends of this package, without those for which a row gives a reason.
    static func all(but exceptions: [Backend: String] = [:]) -> [Backend] {
        tested.filter { exceptions[$0] == nil }
    }
}
