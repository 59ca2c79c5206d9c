import Foundation

extension APICall {
    /// The transport of the call, if it is a URL session.
    var sessionTransport: URLSessionTransport? {
        (transport as? URLSession).map { URLSessionTransport(session: $0, redirects: .follow) }
            ?? transport as? URLSessionTransport
    }

    /// The header fields of the request with those that a session adds to it, in lower case.
    ///
    /// The session adds its additional header fields, and the cookies of its storage. The fields
    /// that the system chooses by itself, such as `User-Agent`, are not included.
    var sentFields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            fields[name.lowercased()] = value
        }
        guard let configuration = sessionTransport?.session.configuration else { return fields }
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            let name = "\(name)".lowercased()
            if fields[name] == nil { fields[name] = "\(value)" }
        }
        let cookies =
            request.url.flatMap { configuration.httpCookieStorage?.cookies(for: $0) } ?? []
        if !cookies.isEmpty {
            // Platforms differ in which cookies win, so those of the request count as well.
            let pairs = cookies.map { "\($0.name)=\($0.value)" }.sorted()
            fields["cookie"] = ([fields["cookie"] ?? ""] + pairs).joined(separator: "; ")
        }
        return fields
    }
}
