import Foundation

#if !canImport(FoundationNetworking)

extension URLSessionTask {
    /// Returns whether a delegate may use the progress of sending the body.
    package func reportsProgress(in session: URLSession?) -> Bool {
        (delegate as? TaskDelegate)?.reportsProgress
            ?? (delegate != nil || session?.delegate != nil)
    }
}

#endif
