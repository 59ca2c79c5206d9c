import Foundation

#if !canImport(FoundationNetworking)

extension RequestBody {
    /// Finds the body of the request that a protocol loads.
    init(of urlProtocol: URLProtocol) {
        self.init(of: urlProtocol.request)
    }
}

#endif
