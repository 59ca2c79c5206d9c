import Foundation

extension HTTPURLResponse {
    /// The headers as text.
    package var headers: [String: String] {
        allHeaderFields.reduce(into: [:]) { headers, field in
            headers["\(field.key)"] = "\(field.value)"
        }
    }
}
