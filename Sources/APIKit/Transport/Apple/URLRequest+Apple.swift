import Foundation

#if !canImport(FoundationNetworking)

extension URLRequest {
    /// The flags that decide by which network and with which cookies the request is sent.
    var networkFlags: [Bool] {
        [
            allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess,
            httpShouldHandleCookies, assumesHTTP3Capable,
        ]
    }
}

#endif
