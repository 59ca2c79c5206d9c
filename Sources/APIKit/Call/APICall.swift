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

    /// The tokens that the call was last sent with, by their refreshes, with `nil` for no token.
    ///
    /// All attempts share them: ``Retry`` sends the same value again, without what an interceptor
    /// inside of it changed in its copy.
    let tokenBatches = Locked<[ObjectIdentifier: TokenBatch?]>([:])

    /// Creates a call, as a test of an interceptor does.
    ///
    /// An interceptor changes a copy of its call instead. A new call lacks the base URL and the
    /// account, and is no further attempt of another.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.request = request
        self.apiRequest = apiRequest
    }

    /// Returns this call with the request of another one, which an interceptor may have created.
    ///
    /// A call that an interceptor creates lacks the transport, whose cookies distinguish users, and
    /// the tokens of earlier attempts.
    func sending(_ other: APICall) -> APICall {
        var call = self
        call.request = other.request
        call.account = other.account
        return call
    }

    /// The interceptors inside of one, and the transport.
    typealias Next<Body: Sendable> = @Sendable (APICall) async throws -> APIResponse<Body>
}
