import Foundation

// `print`, `dump` and `String(reflecting:)` show the children of a mirror. The default mirrors of
// values that hold requests and responses show URLs and header fields in full.

extension APIClient: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "baseURL": baseURL.map(Redaction.text(of:)) ?? "none",
                "headers": Redaction.masked(headers),
                "transport": "\(type(of: transport))",
                "interceptors": interceptors.map { "\(type(of: $0))" },
            ], displayStyle: .struct)
    }
}

extension APICall: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": Redaction.text(of: request),
                "headers": Redaction.masked(request.allHTTPHeaderFields ?? [:]),
                "apiRequest": "\(type(of: apiRequest))",
            ], displayStyle: .struct)
    }
}

extension APIResponse: CustomReflectable {
    /// A mirror without secrets but for those of the value, for `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "value": value,
                "statusCode": statusCode,
                "url": http.url.map(Redaction.text(of:)) ?? "none",
                "headers": Redaction.masked(http.headers),
            ], displayStyle: .struct)
    }
}

extension APIError: CustomReflectable {
    /// A mirror without secrets, for `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind,
                "request": request.map(Redaction.text(of:)) ?? "none",
                "statusCode": statusCode ?? "none",
                "body": "\(body?.count ?? 0) bytes",
                "underlying": underlying.map(APIError.text(of:)) ?? "none",
            ], displayStyle: .struct)
    }
}

extension ByteStream: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror {
        let request = context.map { Redaction.text(of: $0.request) }
        return Mirror(self, children: ["request": request ?? "none"], displayStyle: .struct)
    }
}

extension ByteStream.Context: CustomReflectable {
    var customMirror: Mirror {
        Mirror(self, children: ["request": Redaction.text(of: request)], displayStyle: .struct)
    }
}

extension StreamReading: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Pages.AsyncIterator: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Locked: CustomReflectable {
    /// A mirror without the value, which may be a secret, and may change while it is shown.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redaction {
    /// Returns the method and the URL of a request without the secrets in it.
    static func text(of request: URLRequest) -> String {
        "\(request.method) \(request.url.map(text(of:)) ?? "without a URL")"
    }

    fileprivate static func masked(_ headers: [String: String]) -> [String: String] {
        headers.reduce(into: [:]) { masked, field in
            masked[field.key] = secrets.text(ofHeader: field.key, field.value)
        }
    }
}
