import APIKit
import Foundation

#if !canImport(FoundationNetworking)

extension Error {
    /// The error in a form that survives a URL session.
    ///
    /// Since iOS 14 and macOS 11 the session rebuilds the error of a protocol from its domain, code
    /// and user info. A `URLError` stays one; any other error travels in the user info.
    var carried: any Error {
        guard !(self is URLError) else { return self }
        let error = self as NSError
        var userInfo = error.userInfo
        userInfo[carriedErrorKey] = self
        return NSError(domain: error.domain, code: error.code, userInfo: userInfo)
    }
}

#endif
