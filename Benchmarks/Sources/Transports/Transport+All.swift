import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import NIOCore
import Workloads

extension Transport {
    /// The transports to compare.
    ///
    /// They are apart from the workloads, which the check for Apple platforms on Linux compiles
    /// without package dependencies.
    public static let all = [
        urlSession,
        Transport("AsyncHTTPClient") { url in
            let request = HTTPClientRequest(url: url.absoluteString)
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: 1 << 20)
            return try JSONDecoder().decode(String.self, from: Data(body.readableBytesView))
        } make: {
            var transport = HTTPClientTransport()
            transport.maxBodyBytes = .max
            return transport
        },
    ]
}
