import Foundation

extension URLRequest {
    /// Sets headers that HTTP allows, and refuses those that would break out of their line.
    ///
    /// - Throws: An ``APIError`` that names the header.
    mutating func setHeaders(_ headers: [String: String], replacing: Bool) throws {
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
                throw APIError(
                    .invalidRequest("\"\(name)\" is not the name of a header"), request: self)
            }
            // A line break would start another header (RFC 9110, section 5.5).
            guard !value.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
                throw APIError(
                    .invalidRequest("the value of its header \(name) holds a line break"),
                    request: self)
            }
            if replacing || self.value(forHTTPHeaderField: name) == nil {
                setValue(value, forHTTPHeaderField: name)
            }
        }
    }
}

/// The characters of a token in RFC 9110, section 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
