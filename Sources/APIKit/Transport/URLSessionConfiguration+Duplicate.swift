import Foundation

extension URLSessionConfiguration {
    /// The same configuration in an object of its own.
    package var duplicate: URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}
