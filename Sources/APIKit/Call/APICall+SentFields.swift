import Foundation

extension APICall {
    /// The transport of the call, if it is a URL session.
    var sessionTransport: URLSessionTransport? {
        (transport as? URLSession).map { URLSessionTransport(session: $0, redirects: .follow) }
            ?? transport as? URLSessionTransport
    }

    /// Whether the transport may add header fields that ``sentFields`` does not contain.
    var mayAddUnknownFields: Bool { sessionTransport == nil && !(transport is any BareTransport) }

    /// The header fields of the request and those that its session adds, with lowercase names.
    ///
    /// A session adds its additional header fields and the cookies of its storage. Fields that the
    /// system chooses, such as `User-Agent`, are not included. Another transport may add any fields.
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
        if request.httpShouldHandleCookies, configuration.httpShouldSetCookies,
            let url = request.url,
            let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        {
            // Platforms differ in which cookies take precedence, so the request's are included too.
            let pairs = cookies.map { "\($0.name)=\($0.value)" }.sorted()
            fields["cookie"] = ([fields["cookie"] ?? ""] + pairs).joined(separator: "; ")
        }
        return fields
    }
}
