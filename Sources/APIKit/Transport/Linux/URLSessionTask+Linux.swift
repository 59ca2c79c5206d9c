import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// The body of a redirect without a `Location`, which delegates never receive.
    ///
    /// It is empty if a later version of the system stores the body elsewhere.
    var redirectBody: Data {
        Reflection.property("_protocolStorage", of: self)
            .flatMap { Mirror(reflecting: $0).children.first?.value }
            .flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }
}

#endif
