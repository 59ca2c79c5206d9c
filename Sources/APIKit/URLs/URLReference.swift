import Foundation

/// The components of a URL or of a relative reference (RFC 3986, appendix B).
struct URLReference: Equatable {
    var scheme: Substring?
    /// The user, the host and the port.
    var authority: Substring?
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Splits any text, without validating the components.
    init(_ text: String) {
        let parts = URLParts(text)
        (path, query, fragment) = (parts.path, parts.query, parts.fragment)
        if let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(path[..<colon]) {
            scheme = path[..<colon]
            path = Substring(path.utf8[colon...].dropFirst())
        }
        if path.utf8.starts(with: "//".utf8) {
            let rest = path.utf8.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Substring(rest[..<end])
            path = Substring(rest[end...])
        }
    }

    /// The text of the reference, percent-encoded where a URL requires it.
    var encoded: String {
        var text = ""
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//" + PercentEncoding.authority(authority) }
        text += PercentEncoding.delimited(path)
        if let query { text += "?" + PercentEncoding.delimited(query) }
        if let fragment { text += "#" + PercentEncoding.delimited(fragment, isInFragment: true) }
        return text
    }

    /// Returns the absolute form of this reference (RFC 3986, section 5.2.2).
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                    return target
                }
                if path.utf8.first != UInt8(ascii: "/") { target.path = base.merged(with: path) }
            }
        }
        target.path = Self.removingDotSegments(target.path)
        return target
    }

    /// Returns this path with a relative path in place of its last segment (section 5.2.3).
    private func merged(with relative: Substring) -> Substring {
        guard !path.isEmpty || authority == nil else { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return Substring(path.utf8[...slash]) + relative
    }

    /// Returns a path with its `.` and `..` segments resolved (section 5.2.4).
    private static func removingDotSegments(_ path: Substring) -> Substring {
        let slash = UInt8(ascii: "/")
        let isRooted = path.utf8.first == slash
        var segments = path.utf8.split(separator: slash, omittingEmptySubsequences: false)
            .map { Substring($0) }
        if isRooted { segments.removeFirst() }
        let isOpen = [".", ".."].contains(segments.last)
        var kept: [Substring] = []
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        if isOpen { kept.append("") }
        return (isRooted ? "/" : "") + kept.joined(separator: "/")[...]
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) != nil
    }
}

extension URL {
    /// Creates the URL of a link that a resource contains (RFC 3986, section 5).
    ///
    /// Returns `nil` if the result is not an `http` or `https` URL with a host. The text is encoded
    /// here because the parsers of the platforms encode differently.
    ///
    /// - Parameters:
    ///   - link: An absolute URL or a relative reference.
    ///   - base: The URL of the resource.
    init?(link: String, relativeTo base: URL) {
        let target = URLReference(link).resolved(against: URLReference(base.absoluteString))
        guard ["http", "https"].contains(target.scheme?.lowercased()),
            let url = URL(string: target.encoded), url.host?.isEmpty == false
        else { return nil }
        self = url
    }
}
