import Foundation

extension HTTPURLResponse {
    /// Whether the response describes content without carrying it.
    ///
    /// Its `Content-Length` is then the size of what a GET would return (RFC 9110, section 8.6).
    func omitsContent(for request: URLRequest) -> Bool {
        request.method == .head || statusCode == 304
    }

    /// Whether the body is the representation itself, without a content coding.
    var isIdentity: Bool {
        value(forHTTPHeaderField: "Content-Encoding").map { $0.lowercased() == "identity" } ?? true
    }

    /// The size of the body as the transport returns it, if that is known.
    ///
    /// `Transfer-Encoding` overrides `Content-Length`, and a 204 has no body even if a header field
    /// gives it a length (RFC 9112, section 6.3).
    var bodyLength: Int? {
        guard isIdentity, statusCode != 204, value(forHTTPHeaderField: "Transfer-Encoding") == nil
        else { return nil }
        return value(forHTTPHeaderField: "Content-Length").flatMap { Int(digits: $0) }
    }
}
