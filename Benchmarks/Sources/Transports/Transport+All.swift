import AsyncHTTPClientTransport
import Workloads

extension Transport {
    /// The transports to compare.
    ///
    /// They are apart from the workloads, which the check for Apple platforms on Linux compiles
    /// without package dependencies.
    public static let all = [
        urlSession,
        Transport("AsyncHTTPClient") {
            var transport = HTTPClientTransport()
            transport.maxBodyBytes = .max
            return transport
        },
    ]
}
