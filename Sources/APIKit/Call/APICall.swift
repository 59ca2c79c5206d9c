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
    var baseURL: URL?

    /// The transport of the client.
    var transport: (any HTTPTransport)?

    /// The account whose token the request carries, if the token's provider names it.
    package var account: String?

    /// The token of the last attempt for each `TokenRefresher`, or `nil` if it had none.
    ///
    /// All attempts share this storage: ``Retry`` sends a call again without the changes that inner
    /// interceptors made to their copies.
    let sentTokens = Locked<[ObjectIdentifier: SharedToken?]>([:])

    /// Creates a call, as a test of an interceptor does.
    ///
    /// An interceptor changes a copy of its call instead. A new call lacks the base URL and the
    /// account, and is no further attempt of another.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.request = request
        self.apiRequest = apiRequest
    }
}
