import Foundation

/// What a call shares with its interceptors, its attempts and its transport.
///
/// Unchecked because a lock guards its state.
package final class CallContext: @unchecked Sendable {
    struct State {
        /// The values that interceptors keep between the attempts, each with the identity of its type
        /// or of an object.
        var values: [ObjectIdentifier: any Sendable] = [:]
        /// The number of attempts so far.
        var attemptCount = 0
        /// The last request that a redirect has caused, for each attempt in progress.
        fileprivate var redirected: [Int: AnsweredRequest] = [:]
        /// The request that the last response or error answers, if it is not the request of the call.
        fileprivate(set) var answered: AnsweredRequest?
        /// An error with the response or the failure of the last attempt, for a ``Deadline``.
        var last: APIError?
    }

    package let apiRequest: any APIRequest
    /// The request before the interceptors change it.
    let request: URLRequest
    /// The input that the request type made the request from.
    let input: any Sendable
    /// The base URL of the client.
    let baseURL: URL?
    /// The transport of the client.
    let transport: (any HTTPTransport)?
    /// The size above which an accepted body is too large to load.
    let maxBodyBytes: Int
    /// The body of an upload.
    let body: HTTPBody?
    // Not `Locked`, which would be a second object for each call.
    private let lock = NSLock()
    private var state = State()

    init(
        of apiRequest: any APIRequest, request: URLRequest, from input: any Sendable = (),
        baseURL: URL? = nil, transport: (any HTTPTransport)? = nil, maxBodyBytes: Int = .max,
        uploading body: HTTPBody? = nil
    ) {
        (self.apiRequest, self.request, self.input) = (apiRequest, request, input)
        (self.baseURL, self.transport) = (baseURL, transport)
        self.maxBodyBytes = max(0, maxBodyBytes)
        self.body = body
    }

    /// The request that the last response or error of the call answers, if it is another one than the
    /// interceptors passed on.
    var answered: AnsweredRequest? { withLock { $0.answered } }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}

extension CallContext {
    /// Returns whether a load needs no more bytes of a body than it has.
    ///
    /// It then completes, and the run of the call throws, or cuts the body of a refused response.
    package func isEnough(_ count: Int, of head: URLResponse) -> Bool {
        // Asks the request type only about large bodies.
        guard count >= min(maxBodyBytes, APIError.bodyLimit) else { return false }
        if let http = head as? HTTPURLResponse, !apiRequest.accepts(http) {
            return count >= APIError.bodyLimit
        }
        return count > maxBodyBytes
    }

    /// Returns the error for an accepted body that is too large to load, or `nil`.
    func excess(of count: Int, in head: HTTPURLResponse) -> APIError? {
        guard count > maxBodyBytes, apiRequest.accepts(head) else { return nil }
        return APIError(.bodyTooLarge(limit: maxBodyBytes), response: head)
    }
}

/// The request that a response or an error answers.
struct AnsweredRequest: Sendable {
    let request: URLRequest
    /// Whether a server may have processed an earlier request of the call, which a redirect answered.
    var isContinuation: Bool
    /// Whether a redirect has led to another origin, so that no credential came along.
    var hasLeftOrigin = false
}

extension URLSessionTask {
    /// The request type of the call that the task loads for, if a client has made it.
    package var apiRequest: (any APIRequest)? { (delegate as? Load)?.attempt?.context.apiRequest }
}

/// One attempt of a call, as its transport sees it.
package struct CallAttempt: Sendable {
    /// The attempt whose transport runs in this task.
    @TaskLocal package static var current: CallAttempt?

    package let context: CallContext
    let number: Int
    /// Whether the attempt continues the call at a redirect of an earlier one.
    let isContinuation: Bool

    /// Starts an attempt of a call.
    init(of context: CallContext, isContinuation: Bool) {
        self.context = context
        self.isContinuation = isContinuation
        number = context.withLock { state in
            state.attemptCount += 1
            return state.attemptCount
        }
    }

    /// Records that the transport follows a redirect, whose request the response then answers.
    ///
    /// Only 307 and 308 say that the server has not processed the request (RFC 9110, section 15.4).
    ///
    /// - Parameters:
    ///   - next: The request that it sends.
    ///   - redirect: The response.
    ///   - previous: The request that was redirected.
    package func follow(
        _ next: URLRequest, after redirect: HTTPURLResponse, to previous: URLRequest
    ) {
        context.withLock { state in
            let earlier = state.redirected[number]
            state.redirected[number] = AnsweredRequest(
                request: next,
                isContinuation: ![307, 308].contains(redirect.statusCode)
                    || earlier?.isContinuation ?? isContinuation,
                hasLeftOrigin: Origin(next.url) != Origin(previous.url)
                    || earlier?.hasLeftOrigin == true)
        }
    }

    /// Ends the attempt with the request, and shows the interceptors which request was answered.
    func end(of request: URLRequest) {
        let own = isContinuation ? AnsweredRequest(request: request, isContinuation: true) : nil
        context.withLock { state in
            state.answered = state.redirected.removeValue(forKey: number) ?? own
        }
    }
}
