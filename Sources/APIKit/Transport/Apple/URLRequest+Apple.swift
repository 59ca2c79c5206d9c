import Foundation

#if !canImport(FoundationNetworking)

extension URLRequest {
    /// The flags that select the network and the cookies of the request.
    var networkFlags: [Bool] {
        [
            allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess,
            httpShouldHandleCookies, assumesHTTP3Capable,
        ]
    }
}

#endif
