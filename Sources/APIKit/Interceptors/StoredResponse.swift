import Foundation

/// A response that its server can be asked about again, and what it is an answer to.
final class StoredResponse: Sendable {
    /// The URL that was asked for, as text.
    let key: String
    let http: HTTPURLResponse
    let body: Data
    /// The headers that make a request for the same a conditional one.
    let conditions: [String: String]
    /// The bytes that it takes up, estimated.
    let cost: Int
    /// The headers of a request that it depends on, with the values that it is for.
    private let selectingHeaders: [String: String?]

    /// Creates a response of status 200 to keep, unless that is forbidden or of no use.
    init?(to request: URLRequest, http: HTTPURLResponse, body: Data) {
        let conditions = [
            "If-None-Match": http.value(forHTTPHeaderField: "ETag"),
            "If-Modified-Since": http.value(forHTTPHeaderField: "Last-Modified"),
        ].compactMapValues { $0 }
        let varying = HeaderList(http.value(forHTTPHeaderField: "Vary")).words
        guard !conditions.isEmpty, !varying.contains("*"),
            !HeaderList(http.value(forHTTPHeaderField: "Cache-Control")).words.contains("no-store")
        else { return nil }
        key = request.cacheKey
        self.http = http
        self.body = body
        self.conditions = conditions
        // What one user was answered is not for another, whatever the server says about it.
        selectingHeaders = (varying + ["authorization"]).reduce(into: [:]) { values, name in
            values[name] = .some(request.value(forHTTPHeaderField: name))
        }
        cost =
            key.utf8.count + body.count + Self.overhead
            + http.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    /// Tells whether a request for the same URL asks for this response (RFC 9111, section 4.1).
    func answers(_ request: URLRequest) -> Bool {
        selectingHeaders.allSatisfy { name, value in
            request.value(forHTTPHeaderField: name) == value
        }
    }

    /// Returns the head with what a 304 brought, or `nil` if that 304 is not about this response.
    ///
    /// It is about another if its validator says so (RFC 9111, section 4.3.4), or if a redirect
    /// led elsewhere this time: entity tags of two resources may be equal by chance.
    func head(updatedBy notModified: HTTPURLResponse) -> HTTPURLResponse? {
        guard notModified.url?.withoutFragment == http.url?.withoutFragment,
            hasValidator(of: notModified)
        else { return nil }
        var headers = http.headers
        for (name, value) in notModified.headers
        where !Self.keptHeaders.contains(name.lowercased()) {
            for old in headers.keys where old.lowercased() == name.lowercased() {
                headers[old] = nil
            }
            headers[name] = value
        }
        return http.url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }

    private func hasValidator(of other: HTTPURLResponse) -> Bool {
        func pair(_ name: String) -> (String, String)? {
            guard let mine = http.value(forHTTPHeaderField: name),
                let theirs = other.value(forHTTPHeaderField: name)
            else { return nil }
            return (mine, theirs)
        }
        if let (mine, theirs) = pair("ETag") { return mine.opaqueTag == theirs.opaqueTag }
        if let (mine, theirs) = pair("Last-Modified") { return mine == theirs }
        return true
    }

    /// What a response takes up besides its text: objects, and the places in collections.
    private static let overhead = 512

    /// The headers that a 304 does not change: those of the connection it came by, and those that
    /// describe the stored bytes (RFC 9111, section 3.2).
    private static let keptHeaders: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "content-encoding", "content-range", "content-type",
    ]
}

extension URLRequest {
    /// The URL by which responses are found, without its fragment, which is never sent.
    var cacheKey: String { url?.withoutFragment ?? "" }
}

extension URL {
    fileprivate var withoutFragment: String { String(absoluteString.prefix { $0 != "#" }) }
}

extension String {
    /// An entity tag without the mark of a weak one (RFC 9110, section 8.8.3.2).
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
