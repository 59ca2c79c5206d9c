import Foundation

extension URL {
    /// The host and the port, as they stand in a URL.
    var authority: String? {
        guard let host, let port else { return nil }
        return "\(host):\(port)"
    }
}
