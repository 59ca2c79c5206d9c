import Foundation

extension URLRequest {
    /// Sets header fields, and keeps existing values unless `replacing` is `true`.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` that names the header.
    mutating func setHeaders(_ headers: [String: String], replacing: Bool) throws {
        for (name, value) in headers {
            guard HTTPToken.isValid(name) else {
                throw APIError(
                    .invalidRequest("\"\(name)\" is not a valid header name"), request: self)
            }
            guard value.isFieldValue else {
                throw APIError(
                    .invalidRequest(
                        "the value of its header \(name) contains a line break or NUL"),
                    request: self)
            }
            if replacing || self.value(forHTTPHeaderField: name) == nil {
                setValue(value, forHTTPHeaderField: name)
            }
        }
    }
}
