import APIKit
import Foundation

/// An error of a type that APIKit does not know.
struct Refusal: Error, Equatable {
    var reason = "no"
}

/// A transport that is a closure, for responses that no server can send.
struct StubTransport: HTTPTransport {
    let respond: @Sendable (URLRequest) async throws -> (Data, URLResponse)

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await respond(request)
    }
}

/// An interceptor that responds to each call for data without the transport.
struct StubInterceptor: APIInterceptor {
    let respond: @Sendable () async throws -> APIResponse<Data>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        guard let response = try await respond() as? APIResponse<Body> else {
            return try await next(call)
        }
        return response
    }
}

/// An interceptor that changes or records each call.
struct CallInterceptor: APIInterceptor {
    let change: @Sendable (inout APICall) -> Void

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        change(&call)
        return try await next(call)
    }

    /// An interceptor that adds a token and its account.
    ///
    /// Each attempt uses the next pair. The last pair serves all further attempts.
    static func authentication(_ tokens: (token: String, account: String?)...) -> Self {
        let remaining = Locked(tokens)
        return Self { call in
            let next = remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            call.request.setValue(
                next.map { "Bearer \($0.token)" }, forHTTPHeaderField: "Authorization")
            call.account = next?.account
        }
    }
}

/// An interceptor that sends a call several times, and returns the last result.
struct RepeatingInterceptor: APIInterceptor {
    var times = 2

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        for _ in 1..<times { _ = try? await next(call) }
        return try await next(call)
    }
}

/// An observer that records its events as text.
struct RecordingObserver: APIObserver {
    let events: Locked<[String]>

    func callStarted() {
        events.append("started")
    }

    func requestSent(_ request: URLRequest, attempt: Int) {
        events.append("sent \(attempt): \(request.url?.path ?? "")")
    }

    func responseReceived<Body: Sendable>(_ response: APIResponse<Body>, attempt: Int) {
        events.append("received \(attempt): \(response.statusCode)")
    }

    func callSucceeded<Value: Sendable>(with response: APIResponse<Value>) {
        events.append("succeeded: \(response.value)")
    }

    func callFailed(with error: any Error) {
        events.append("failed: \(error)")
    }
}
