import Foundation

extension URLSessionConfiguration {
    /// A copy of the configuration.
    package var duplicate: URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}
