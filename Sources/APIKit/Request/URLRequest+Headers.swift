import Foundation

extension URLRequest {
    /// Sets headers that HTTP allows, and refuses those that would break out of their line.
    ///
    /// - Throws: An ``APIError`` that names the header.
    mutating func setHeaders(_ headers: [String: String], replacing: Bool) throws {
        for (name, value) in headers {
            guard HTTPToken.isValid(name) else {
                throw APIError(
                    .invalidRequest("\"\(name)\" is not the name of a header"), request: self)
            }
            guard value.fitsInALine else {
                throw APIError(
                    .invalidRequest(
                        "the value of its header \(name) holds a character that would end it"),
                    request: self)
            }
            if replacing || self.value(forHTTPHeaderField: name) == nil {
                setValue(value, forHTTPHeaderField: name)
            }
        }
    }
}
