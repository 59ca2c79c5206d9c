import Foundation

extension URLSessionConfiguration {
    /// The headers that are added to every request, which protocols are not shown.
    var additionalHeaders: [String: String] {
        (httpAdditionalHeaders ?? [:]).reduce(into: [:]) { $0["\($1.key)"] = "\($1.value)" }
    }

    /// The same configuration in an object of its own.
    var duplicate: URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}
