import Foundation

extension URLRequest {
    /// The method; a request without one is a GET.
    var method: String { httpMethod ?? "GET" }
}
