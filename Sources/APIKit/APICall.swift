import Foundation

/// One call on its way: the request as it stands, and the request type that it was made by.
public struct APICall: Sendable {
    /// The request to send, with an absolute URL.
    ///
    /// An interceptor may change it.
    public var request: URLRequest

    /// The request type, by which an interceptor can tell calls apart.
    public let apiRequest: any APIRequest

    /// The base URL of the client.
    package var baseURL: URL?

    /// The transport of the client.
    package var transport: (any HTTPClient)?

    /// The account whose token the request carries, if the token's provider names it.
    package var account: String?

    /// The calls whose token this one was sent with last, shared by all attempts of the call.
    let tokenBatch = Locked<TokenBatch?>(nil)

    /// Creates a call, as a test of an interceptor does.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.request = request
        self.apiRequest = apiRequest
    }
}
