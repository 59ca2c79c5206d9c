import Foundation

/// One call on its way: the request as it stands, and the request type that it was made by.
public struct APICall: Sendable {
    /// The request to send, with an absolute URL.
    ///
    /// An interceptor may change it.
    public var request: URLRequest

    /// The request type, by which an interceptor can tell calls apart.
    public let apiRequest: any APIRequest

    /// The account that the credentials in the request belong to, if an interceptor has named it.
    package var account: String?

    /// Creates a call, as a test of an interceptor does.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.request = request
        self.apiRequest = apiRequest
    }
}
