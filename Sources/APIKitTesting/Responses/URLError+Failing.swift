import Foundation

extension URLError {
    /// Creates an error with the URL of the request that failed.
    init(_ code: Code, failing url: URL) {
        self.init(code, userInfo: [NSURLErrorFailingURLErrorKey: url])
    }
}
