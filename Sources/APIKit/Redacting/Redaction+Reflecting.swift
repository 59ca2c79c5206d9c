import Foundation

// `print`, `dump` and `String(reflecting:)` show the children of a mirror. The default mirrors of
// types that hold requests and responses show URLs and header fields in full, so these types define
// their mirrors.

extension Redaction {
    /// Returns the method and the URL of a request with secrets masked.
    static func text(of request: URLRequest) -> String {
        "\(request.method) \(request.url.map(text(of:)) ?? "without a URL")"
    }

    /// Returns header fields with the values of secret ones masked.
    static func masked(_ headers: [String: String]) -> [String: String] {
        headers.reduce(into: [:]) { masked, field in
            masked[field.key] = secrets.text(ofHeader: field.key, field.value)
        }
    }
}
