import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// Returns whether a delegate may use the progress of sending the body.
    ///
    /// On Linux the delegate of a task is by default that of its session.
    package func reportsProgress(in _: URLSession?) -> Bool {
        guard let delegate else { return false }
        return (delegate as? LoadTable)?.reportsProgress(of: self) ?? true
    }
}

#endif
