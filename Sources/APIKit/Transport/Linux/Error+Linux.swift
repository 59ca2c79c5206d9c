import Foundation

#if canImport(FoundationNetworking)

extension Error {
    /// The error as it is on every platform.
    ///
    /// A connection that breaks in the middle of a body is nothing that the system has a code for,
    /// and it says so in many words. After the head there is nothing else that has none.
    func asOnEveryPlatform(hasHead: Bool = false) -> any Error {
        guard let error = self as? URLError, error.errorUserInfo[NSUnderlyingErrorKey] != nil,
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String,
            hasHead && error.code == .unknown
                || brokenConnections.contains(where: text.hasPrefix)
        else { return self }
        return URLError(.networkConnectionLost, userInfo: error.errorUserInfo)
    }
}

private let brokenConnections = [
    "transfer closed with", "Transferred a partial file", "Recv failure",
    "Failure when receiving data from the peer", "Empty reply from server", "Send failure",
    "Failed sending data to the peer",
]

#endif
