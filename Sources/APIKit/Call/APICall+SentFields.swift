import Foundation

extension APICall {
    /// The transport of the call, if it is a URL session.
    var sessionTransport: URLSessionTransport? {
        (transport as? URLSession).map { URLSessionTransport(session: $0, redirects: .follow) }
            ?? transport as? URLSessionTransport
    }

    /// Whether the transport may add header fields that ``sentFields`` does not contain.
    var mayAddUnknownFields: Bool { transport?.addedFields(for: request) == nil }

    /// The header fields of the request and those that the transport adds, with lowercase names.
    ///
    /// Fields that are the same for every user, such as `User-Agent`, are not included.
    var sentFields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            fields[name.lowercased()] = value
        }
        for (name, value) in transport?.addedFields(for: request) ?? [:] {
            // Transports differ in whether the cookies of the request take precedence.
            let name = name.lowercased()
            fields[name] = [fields[name], value].compactMap { $0 }.joined(separator: "; ")
        }
        return fields
    }
}
